import { lineAtoms, wholeLineAtom } from "../messages/line-atoms.js";
import { linePieces } from "../messages/message-lines.js";
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

/**
 * Extracts the strings of visible texts, with a cache per line.
 *
 * Consecutive selections share most lines, so the cache covers the last two.
 */
export class ShownNames {
  #lines = new Map<string, readonly string[]>();
  #before: ReadonlyMap<string, readonly string[]> = new Map();

  /** Starts a new generation: forgets the lines that were not read since the last call. */
  turn(): void {
    this.#before = this.#lines;
    this.#lines = new Map();
  }

  /** Calls `visit` with every URL, path, number, identifier and line of a text, some more than once. */
  each(text: string, visit: (name: string) => void): void {
    for (const line of text.split("\n")) {
      const known = this.#lines.get(line) ?? this.#read(line);
      for (const name of known) visit(name);
    }
  }

  #read(line: string): readonly string[] {
    const names = this.#before.get(line) ?? namesIn(line);
    this.#lines.set(line, names);
    return names;
  }
}

function namesIn(line: string): readonly string[] {
  return linePieces(line).flatMap((piece) => [...lineAtoms(piece), wholeLineAtom(piece) ?? []].flat());
}
