import { lineAtoms, wholeLineAtom } from "./line-atoms.js";
import { linePieces } from "./message-lines.js";

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
