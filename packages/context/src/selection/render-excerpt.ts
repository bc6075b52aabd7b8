import { lineAtoms, wholeLineAtom } from "../messages/line-atoms.js";
import { linePieces } from "../messages/message-lines.js";
import { linesText, type Block, type IndexedChunk } from "./indexed-chunk.js";

/** Stands where lines of a chunk are left out. */
const gapMark = "⋮";

/**
 * Returns the chosen lines of a chunk behind a line that says where they come from, `[name:first line]`. Pure.
 *
 * `first line` is that of the chunk's file in the archive, counted from 1.
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
 * The strings of texts that a context shows.
 *
 * From one selection to the next most lines are the same, in other texts: those of the last two are remembered.
 */
export class ShownNames {
  #lines = new Map<string, readonly string[]>();
  #before: ReadonlyMap<string, readonly string[]> = new Map();

  /** Forgets the lines that were not looked at since the last call. */
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
