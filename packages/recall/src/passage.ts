/** A few lines of something that was folded away: what a search finds. */
export interface Passage {
  /** The thread that it belongs to; no search of another thread finds it. */
  readonly thread: string;
  /** Where the text can be read on, such as an archive path. */
  readonly path: string;
  /** Number of its first line in the file at `path`, from 1. */
  readonly line: number;
  readonly text: string;
  /** What kind of thing it is from, such as `results` or `history`. @default "" */
  readonly kind?: string;
  /** The step of the agent that it is from. @default none: no search by steps finds it */
  readonly step?: number;
}

/** Which passages a search looks at. */
export interface PassageFilter {
  readonly thread: string;
  readonly kind?: string;
  /** How the path begins. */
  readonly path?: string;
  /** First and last step, both included. */
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
  /** Lines of one passage. @default 12 */
  readonly lines?: number;
  /** Characters of one passage; a longer line is cut. @default 1,200 */
  readonly characters?: number;
}

/** Returns a text in passages of whole lines, each with the number of its first line, from 1. Blank ones are left out. */
export function splitPassages(
  text: string,
  { lines: most = 12, characters = 1_200 }: SplitOptions = {},
): { readonly line: number; readonly text: string }[] {
  const passages: { line: number; text: string }[] = [];
  let open = { line: 1, lines: [] as string[], size: 0 };
  const close = (next: number): void => {
    const passage = open.lines.join("\n");
    if (passage.trim() !== "") passages.push({ line: open.line, text: passage });
    open = { line: next, lines: [], size: 0 };
  };
  for (const [index, whole] of text.split("\n").entries()) {
    for (const piece of pieces(whole, characters)) {
      if (open.lines.length === most || open.size + piece.length > characters) close(index + 1);
      open.lines.push(piece);
      open.size += piece.length + 1;
    }
  }
  close(0);
  return passages;
}

/** Cuts at a blank where there is one, and never inside a surrogate pair. */
function pieces(line: string, most: number): string[] {
  const found: string[] = [];
  let start = 0;
  while (line.length - start > most) {
    const blank = line.lastIndexOf(" ", start + most);
    const cut = blank > start + most / 2 ? blank : start + most;
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
