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
  /** The most lines of a passage; in a message, of those that are not blank. @default 12 */
  readonly lines?: number;
  /** The most characters of a passage. A longer line is split. @default 1,200 */
  readonly characters?: number;
  /**
   * Returns true for the first line of a message. A message begins a passage, except where the messages before it in the passage
   * are whole, have less than 400 characters together, and the message ends in the passage too. A message of up to a third more
   * characters than a passage has at most is one passage, whatever its lines. @default no line does
   */
  readonly starts?: (line: string) => boolean;
}

/** Characters of a passage of whole messages before the next message begins another: short messages are understood together. */
const minCharacters = 400;

/** Characters of a message that is one passage, in times the most characters of a passage: half a message answers little. */
const wholeShare = 4 / 3;

interface Open {
  /** 1-based number of the first line. */
  readonly line: number;
  readonly lines: readonly string[];
  /** Lines that count: in a message, those that are not blank. */
  readonly counted: number;
  /** Characters with line breaks. */
  readonly size: number;
  /** True while it holds nothing but short messages, the last one perhaps not yet whole. */
  readonly isShort: boolean;
}

/** What the lines of a passage may have. */
interface Room {
  readonly lines: number;
  readonly characters: number;
  readonly countsBlank: boolean;
}

/** Returns a text in passages of whole lines, each with the 1-based number of its first line. Leaves out blank passages. */
export function splitPassages(
  text: string,
  { lines: maxLines = 12, characters: maxCharacters = 1_200, starts = noStart }: SplitOptions = {},
): { readonly line: number; readonly text: string }[] {
  const passages: { line: number; text: string }[] = [];
  let open = openAt(1);
  const close = (next: number): void => {
    const passage = open.lines.join("\n");
    if (passage.trim() !== "") passages.push({ line: open.line, text: passage });
    open = openAt(next);
  };
  let room: Room = { lines: maxLines, characters: maxCharacters, countsBlank: true };
  const all = text.split("\n");
  const sizes = messageSizes(all, starts);
  for (const [index, whole] of all.entries()) {
    const message = sizes.get(index);
    if (beginsPassage(open, message, maxCharacters)) close(index + 1);
    if (message !== undefined) room = roomOf(message, maxLines, maxCharacters);
    for (const piece of pieces(whole, room.characters, firstPiece(open, room.characters))) {
      if (isFull(open, piece, room)) close(index + 1);
      open = withLine(open, piece, { starts, countsBlank: room.countsBlank });
    }
  }
  close(0);
  return passages;
}

/** True for a line with the size of the message that it begins, unless that message ends in a passage of short ones. */
function beginsPassage({ isShort, size }: Open, message: number | undefined, maxCharacters: number): boolean {
  return message !== undefined && !(isShort && size + message <= maxCharacters);
}

function isFull({ counted, size }: Open, piece: string, { lines, characters }: Room): boolean {
  return counted >= lines || size + piece.length > characters;
}

function openAt(line: number): Open {
  return { line, lines: [], counted: 0, size: 0, isShort: false };
}

/** Returns what the passages of a message of this size may have. */
function roomOf(message: number, lines: number, characters: number): Room {
  const most = characters * wholeShare;
  const isWhole = message <= most;
  return { lines: isWhole ? Infinity : lines, characters: isWhole ? most : characters, countsBlank: false };
}

interface Lines {
  readonly starts: (line: string) => boolean;
  readonly countsBlank: boolean;
}

function withLine({ line, lines, ...open }: Open, piece: string, { starts, countsBlank }: Lines): Open {
  const size = open.size + piece.length + 1;
  return {
    line,
    lines: [...lines, piece],
    counted: open.counted + (countsBlank || piece.trim() !== "" ? 1 : 0),
    size,
    isShort: size < minCharacters && starts(lines[0] ?? piece),
  };
}

function noStart(): boolean {
  return false;
}

/** Returns the characters of each message by the index of its first line. */
function messageSizes(
  lines: readonly string[],
  starts: (line: string) => boolean,
): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  let first = -1;
  for (const [at, line] of lines.entries()) {
    if (starts(line)) first = at;
    if (first >= 0) sizes.set(first, (sizes.get(first) ?? 0) + line.length + 1);
  }
  return sizes;
}

/** The heading of a message stays with the first piece of a long line. */
function firstPiece({ isShort, size }: Open, maxCharacters: number): number {
  const room = maxCharacters - size;
  return isShort && room >= maxCharacters / 2 ? room : maxCharacters;
}

/** Splits a line that is longer than the first piece may be, at a space in the second half of a piece if there is one, and never inside a surrogate pair. */
function pieces(line: string, maxLength: number, first: number): string[] {
  if (line.length <= first) return [line];
  const found: string[] = [];
  let start = 0;
  for (let length = first; line.length - start > length; length = maxLength) {
    const blank = line.lastIndexOf(" ", start + length);
    const cut = blank > start + length / 2 ? blank : start + length;
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
