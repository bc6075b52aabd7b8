import { isLineAtom } from "../messages/line-atoms.js";
import type { FileState, Place, WordState } from "./indexed-chunk.js";
import { atomWords, detached, type WordTable } from "./word-table.js";

/** Newest places of an atom that are looked at: a name that stands everywhere says little about where to look. */
export const mostPlaces = 128;
const firstSize = 1_024;

/** What is known of a string that a later call may use. */
export interface Atom {
  readonly text: string;
  /** It is a whole line and not an identifier, a path or a number. */
  readonly isLine: boolean;
  /** Newest chunk that holds it. */
  readonly last: number;
  /** Chunks whose calls used it. */
  readonly uses: number;
  /** That the next call uses it, as of the last scoring. */
  readonly probability: number;
}

/**
 * The strings that a later call may use, each by a number, with what is known of it in columns: all of them are read at
 * every selection, and columns are read several times faster than as many objects.
 *
 * A number is given again once no line holds its string any more.
 */
export class AtomTable {
  readonly #numbers = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #words: WordTable;
  readonly texts: string[] = [];
  /** Words of a name, by which what was said finds it; none for whole lines. */
  readonly words: (readonly WordState[])[] = [];
  /** File of the call or result where it was last seen. */
  readonly files: (FileState | undefined)[] = [];
  /** Where a name stands, oldest first; kept for names only. */
  readonly places: Place[][] = [];
  /** 1 for a whole line, 0 for an identifier, a path or a number. */
  isLine = new Uint8Array(firstSize);
  last = new Int32Array(firstSize);
  /** Chunks that hold it; 0 for a number that is free. */
  count = new Int32Array(firstSize);
  uses = new Int32Array(firstSize);
  /** 1 where an edit has replaced it and it has not been seen since. */
  dead = new Uint8Array(firstSize);
  /** Blocks to choose from that hold it. */
  blocks = new Int32Array(firstSize);
  /** How much of what the last calls named stands around it, at its best place. */
  nearCalls = new Float64Array(firstSize);
  /** The same for what the agent and the user said. */
  nearIntent = new Float64Array(firstSize);
  probability = new Float64Array(firstSize);
  /** The same while a selection is made, and 0 once it is shown: what is shown is paid once. */
  open = new Float64Array(firstSize);

  constructor(words: WordTable) {
    this.#words = words;
  }

  /** Strings that some line holds. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Numbers are below this. */
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

  /** Returns the number of a string; a new one is that of a string seen in no chunk yet. */
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
    this.places[number] = isLine ? nowhere : [];
    this.isLine[number] = isLine ? 1 : 0;
    for (const column of [this.last, this.count, this.uses, this.dead, this.blocks]) column[number] = 0;
    for (const column of [this.nearCalls, this.nearIntent, this.probability, this.open]) column[number] = 0;
    return number;
  }

  /** Adds a place of a name; old ones that are not looked at any more are dropped now and then. */
  place(number: number, added: Place): void {
    const places = this.places[number];
    if (places === undefined) return;
    places.push(added);
    if (places.length > 2 * mostPlaces) this.places[number] = places.slice(-mostPlaces);
  }

  /** Counts a chunk that holds it. */
  see(number: number, chunk: number): void {
    this.last[number] = chunk;
    this.count[number] = (this.count[number] ?? 0) + 1;
  }

  /** Counts a chunk whose calls use it. */
  use(number: number): void {
    this.uses[number] = (this.uses[number] ?? 0) + 1;
  }

  /** Counts a block that holds it. */
  hold(number: number): void {
    this.blocks[number] = (this.blocks[number] ?? 0) + 1;
  }

  /** Takes blocks that hold it from those to choose from; with the last one the string goes. */
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

/** The last two names of a path: those above them are shared by many. */
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
