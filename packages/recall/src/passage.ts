/** A few lines of a folded text: the unit of search. */
export interface Passage {
  /** The thread it belongs to. No search of another thread finds it. */
  readonly thread: string;
  /** The path of the whole text, such as an archive path. */
  readonly path: string;
  /** 1-based number of its first line in the file at `path`. */
  readonly line: number;
  readonly text: string;
  /** The kind of its source, such as `results` or `history`. @default "" */
  readonly kind?: string;
  /** The agent's step it is from. @default none: no search with `steps` finds it */
  readonly step?: number;
}

/** Limits a search to some passages. */
export interface PassageFilter {
  readonly thread: string;
  readonly kind?: string;
  /** A prefix of the path. */
  readonly path?: string;
  /** Prefixes of the paths that no passage may have. @default none */
  readonly except?: readonly string[];
  /** First and last step, inclusive. */
  readonly steps?: readonly [from: number, to: number];
}

/** A passage in a ranking. */
export interface ScoredId {
  readonly id: number;
  readonly score: number;
}

export interface StoredPassage extends Passage {
  readonly id: number;
}

export interface SplitOptions {
  /** The most lines of a passage. @default 12 */
  readonly lines?: number;
  /** The most characters of a passage. A longer line is split. @default 1,200 */
  readonly characters?: number;
  /**
   * Returns true for the first line of a message. A message begins a passage, except where the messages before it in the passage
   * are whole and have less than 400 characters together. @default no line does
   */
  readonly starts?: (line: string) => boolean;
}

/** Characters of a passage of whole messages before the next message begins another: short messages are understood together. */
const minCharacters = 400;

/** Returns a text in passages of whole lines, each with the 1-based number of its first line. Leaves out blank passages. */
export function splitPassages(
  text: string,
  { lines: maxLines = 12, characters: maxCharacters = 1_200, starts }: SplitOptions = {},
): { readonly line: number; readonly text: string }[] {
  const passages: { line: number; text: string }[] = [];
  let open = { line: 1, lines: [] as string[], size: 0 };
  const close = (next: number): void => {
    const passage = open.lines.join("\n");
    if (passage.trim() !== "") passages.push({ line: open.line, text: passage });
    open = { line: next, lines: [], size: 0 };
  };
  for (const [index, whole] of text.split("\n").entries()) {
    if (beginsPassage(whole, open, starts)) close(index + 1);
    for (const piece of pieces(whole, maxCharacters)) {
      if (open.lines.length === maxLines || open.size + piece.length > maxCharacters) close(index + 1);
      open.lines.push(piece);
      open.size += piece.length + 1;
    }
  }
  close(0);
  return passages;
}

/** True for the first line of a message, unless the passage so far is a short message itself. */
function beginsPassage(
  line: string,
  open: { readonly lines: readonly string[]; readonly size: number },
  starts: SplitOptions["starts"],
): boolean {
  if (starts?.(line) !== true) return false;
  return open.size >= minCharacters || !starts(open.lines[0] ?? "");
}

/** Splits at a space in the second half of a piece if there is one, and never inside a surrogate pair. */
function pieces(line: string, maxLength: number): string[] {
  const found: string[] = [];
  let start = 0;
  while (line.length - start > maxLength) {
    const blank = line.lastIndexOf(" ", start + maxLength);
    const cut = blank > start + maxLength / 2 ? blank : start + maxLength;
    const end = isLow(line, cut) ? cut - 1 : cut;
    found.push(line.slice(start, end));
    start = end;
  }
  return [...found, line.slice(start)];
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
