import { lineAtoms, wholeLineAtom } from "../messages/line-atoms.js";
import { linePieces } from "../messages/message-lines.js";
import type { AtomTable } from "./atom-table.js";
import { linesText, type Block, type IndexedChunk } from "./indexed-chunk.js";

/** Marks omitted lines of a chunk. */
const gapMark = "⋮";

/**
 * Returns the selected lines of a chunk after a source line, `[name:first line]`. Pure.
 *
 * `first line` is the line number in the chunk's archive file, counted from 1.
 */
export function renderExcerpt(chunk: IndexedChunk, blocks: readonly Block[], name: string): string {
  const [first] = blocks;
  if (first === undefined) return "";
  const parts = [`[${name}:${fileLine(chunk, first.start)}]`];
  let end = first.start;
  for (const block of blocks) {
    const text = linesText(chunk, block.start, block.end);
    if (block.start > end) parts.push(gapMark, text);
    else if (chunk.lines[block.start]?.continues === true && block !== first)
      parts.push((parts.pop() ?? "") + text);
    else parts.push(text);
    end = block.end;
  }
  return parts.join("\n");
}

function fileLine({ lines }: IndexedChunk, at: number): number {
  return 1 + lines.slice(0, at + 1).filter(({ continues }, index) => index > 0 && !continues).length;
}

/** The distinct strings in a text, and the number that each had in the table; -1 for none. */
interface ShownText {
  readonly names: string[];
  readonly numbers: number[];
  readonly found: readonly number[];
}

/**
 * Extracts the strings of visible texts, with a cache per text and per line.
 *
 * Consecutive selections share most texts and lines, so the cache covers the last two.
 */
export class ShownNames {
  #lines = new Map<string, readonly string[]>();
  #linesBefore: ReadonlyMap<string, readonly string[]> = new Map();
  #texts = new Map<string, ShownText>();
  #textsBefore: ReadonlyMap<string, ShownText> = new Map();

  /** Starts a new generation, after a change of the table: forgets what was not read since the last call. */
  turn(): void {
    this.#linesBefore = this.#lines;
    this.#lines = new Map();
    this.#textsBefore = this.#texts;
    this.#texts = new Map();
  }

  /** Returns the numbers of the strings in a text that the table has. */
  numbersIn(text: string, atoms: AtomTable): readonly number[] {
    const known = this.#texts.get(text);
    if (known !== undefined) return known.found;
    const shown = this.#textsBefore.get(text) ?? this.#namesOf(text);
    const found: number[] = [];
    shown.numbers.forEach((before, at) => {
      const name = shown.names[at] ?? "";
      // The table gives the number of a string that was removed to another one.
      const holds = before >= 0 && atoms.texts[before] === name;
      const number = holds ? before : (atoms.numberOf(name) ?? -1);
      shown.numbers[at] = number;
      if (number < 0) return;
      // The string of the table itself: the next comparison reads no characters.
      shown.names[at] = atoms.texts[number] ?? name;
      found.push(number);
    });
    this.#texts.set(text, { ...shown, found });
    return found;
  }

  /** Calls `visit` with every URL, path, number, identifier and line of a text, some more than once. */
  each(text: string, visit: (name: string) => void): void {
    for (const line of text.split("\n")) {
      const known = this.#lines.get(line) ?? this.#read(line);
      for (const name of known) visit(name);
    }
  }

  #namesOf(text: string): ShownText {
    const names = new Set<string>();
    this.each(text, (name) => names.add(name));
    return { names: [...names], numbers: Array.from(names, () => -1), found: [] };
  }

  #read(line: string): readonly string[] {
    const names = this.#linesBefore.get(line) ?? namesIn(line);
    this.#lines.set(line, names);
    return names;
  }
}

function namesIn(line: string): readonly string[] {
  return linePieces(line).flatMap((piece) => [...lineAtoms(piece), wholeLineAtom(piece) ?? []].flat());
}
