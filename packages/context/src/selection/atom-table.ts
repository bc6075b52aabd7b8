import { isLineAtom } from "../messages/line-atoms.js";
import type { FileState, Place, WordState } from "./indexed-chunk.js";
import { atomWords, detached, type WordTable } from "./word-table.js";

/** Maximum places of an atom to read, newest first: a frequent name is a weak hint of position. */
export const maxPlaces = 128;
const firstSize = 1_024;

/** A string that a later call may use, with its statistics. */
export interface Atom {
  readonly text: string;
  /** True for a whole line; false for an identifier, a path or a number. */
  readonly isLine: boolean;
  /** Newest chunk that contains it. */
  readonly last: number;
  /** Number of chunks whose calls used it. */
  readonly uses: number;
  /** Probability that the next call uses it, as of the last scoring. */
  readonly probability: number;
}

/**
 * The strings that a later call may use, numbered, with their statistics in columns: every selection reads all of them,
 * and columns are several times faster to read than objects.
 *
 * The table reuses a number once no line contains its string any more.
 */
export class AtomTable {
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #words: WordTable;
  readonly texts: string[] = [];
  /** Words of a name, which match words of recent text; none for whole lines. */
  readonly words: (readonly WordState[])[] = [];
  /** File of the newest call or result that contains it. */
  readonly files: (FileState | undefined)[] = [];
  /** Places of a name, oldest first; empty for whole lines. */
  readonly places: Place[][] = [];
  /** 1 for a whole line, 0 for an identifier, a path or a number. */
  isLine = new Uint8Array(firstSize);
  last = new Int32Array(firstSize);
  /** Number of chunks that contain it; 0 for a free number. */
  count = new Int32Array(firstSize);
  uses = new Int32Array(firstSize);
  /** 1 when an edit has replaced it and no later chunk contains it. */
  dead = new Uint8Array(firstSize);
  /** How the current chunk contains it; 0 between chunks. */
  mark = new Uint8Array(firstSize);
  /** Number of candidate blocks that contain it. */
  blocks = new Int32Array(firstSize);
  /** Weight of the names of recent calls around its best place. */
  nearCalls = new Float64Array(firstSize);
  /** Weight of the names in recent agent and user text around its best place. */
  nearIntent = new Float64Array(firstSize);
  probability = new Float64Array(firstSize);
  /** The probability during a selection; 0 once the string is shown, so that it counts once. */
  open = new Float64Array(firstSize);

  constructor(words: WordTable) {
    this.#words = words;
  }

  /** Number of strings in the table. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Upper bound of the numbers, exclusive. */
  get end(): number {
    return this.texts.length;
  }

  has(text: string): boolean {
    return this.#numbers.has(text);
  }

  numberOf(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  atom(number: number): Atom {
    return {
      text: this.texts[number] ?? "",
      isLine: this.isLine[number] === 1,
      last: this.last[number] ?? 0,
      uses: this.uses[number] ?? 0,
      probability: this.probability[number] ?? 0,
    };
  }

  /** Returns the number of a string, and adds the string if it is new. */
  add(found: string): number {
    const known = this.#numbers.get(found);
    if (known !== undefined) return known;
    const text = detached(found);
    const number = this.#free.pop() ?? this.texts.length;
    if (number >= this.count.length) this.#grow();
    const isLine = isLineAtom(text);
    this.#numbers.set(text, number);
    this.texts[number] = text;
    this.words[number] = isLine ? none : this.#words.hold(atomWords(lastNames(text)));
    this.files[number] = undefined;
    this.places[number] = nowhere;
    this.isLine[number] = isLine ? 1 : 0;
    this.last[number] = 0;
    this.count[number] = 0;
    this.uses[number] = 0;
    this.dead[number] = 0;
    this.blocks[number] = 0;
    this.nearCalls[number] = 0;
    this.nearIntent[number] = 0;
    this.probability[number] = 0;
    this.open[number] = 0;
    return number;
  }

  /** Adds a place of a name; drops the places beyond the newest {@link maxPlaces} now and then. */
  place(number: number, added: Place): void {
    const places = this.places[number] ?? nowhere;
    // Most names have one place: an array that grows from empty has room for 17.
    if (places.length === 0) this.places[number] = [added];
    else if (places.push(added) > 2 * maxPlaces) this.places[number] = places.slice(-maxPlaces);
  }

  /** Counts a chunk that contains it. */
  see(number: number, chunk: number): void {
    this.last[number] = chunk;
    this.count[number] = (this.count[number] ?? 0) + 1;
  }

  /** Counts a chunk whose calls use it. */
  use(number: number): void {
    this.uses[number] = (this.uses[number] ?? 0) + 1;
  }

  /** Counts a candidate block that contains it. */
  hold(number: number): void {
    this.blocks[number] = (this.blocks[number] ?? 0) + 1;
  }

  /** Removes candidate blocks that contain it; removes the string with the last one. */
  release(number: number, blocks: number): void {
    const left = (this.blocks[number] ?? 0) - blocks;
    this.blocks[number] = left;
    if (left > 0) return;
    this.#numbers.delete(this.texts[number] ?? "");
    this.#words.release(this.words[number] ?? none);
    this.texts[number] = "";
    this.words[number] = none;
    this.files[number] = undefined;
    this.places[number] = nowhere;
    this.count[number] = 0;
    this.probability[number] = 0;
    this.open[number] = 0;
    this.#free.push(number);
  }

  #grow(): void {
    const size = 2 * this.count.length;
    this.isLine = longer(this.isLine, new Uint8Array(size));
    this.dead = longer(this.dead, new Uint8Array(size));
    this.mark = longer(this.mark, new Uint8Array(size));
    this.last = longer(this.last, new Int32Array(size));
    this.count = longer(this.count, new Int32Array(size));
    this.uses = longer(this.uses, new Int32Array(size));
    this.blocks = longer(this.blocks, new Int32Array(size));
    this.nearCalls = longer(this.nearCalls, new Float64Array(size));
    this.nearIntent = longer(this.nearIntent, new Float64Array(size));
    this.probability = longer(this.probability, new Float64Array(size));
    this.open = longer(this.open, new Float64Array(size));
  }
}

/** Returns the last two segments of a path, because many paths share the ones above. */
function lastNames(text: string): string {
  return text.includes("/") ? text.split("/").slice(-2).join("/") : text;
}

const none: readonly WordState[] = [];
const nowhere: Place[] = [];

interface Column {
  set(from: ArrayLike<number>): void;
}

function longer<Longer extends Column>(from: ArrayLike<number>, to: Longer): Longer {
  to.set(from);
  return to;
}
