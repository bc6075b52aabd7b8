import { isAscii } from "node:buffer";

/** Values that were unpacked together, one behind the other. */
export class Together {
  readonly #bytes: Buffer;
  #text: string | undefined;
  /** How many bytes the values have. */
  size: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  at(start: number, size: number): Unpacked {
    return new Unpacked(this.#bytes.subarray(start, start + size), this, start);
  }

  /** The bytes as Latin-1: what in them is ASCII stands in it as it is. */
  get text(): string {
    this.#text ??= this.#bytes.toString("latin1", 0, this.size);
    return this.#text;
  }
}

/** A value as it was before it was packed. */
export class Unpacked {
  readonly bytes: Buffer;
  readonly #together: Together | undefined;
  readonly #start: number;

  constructor(bytes: Buffer, together?: Together, start = 0) {
    this.bytes = bytes;
    this.#together = together;
    this.#start = start;
  }

  /** The value as text, which it has to be. */
  get text(): string {
    if (!this.#together || !isAscii(this.bytes)) return this.bytes.toString();
    // A slice of a text is a few words that point into it: the garbage collector need not carry each message about. The
    // text, of a megabyte at most, stays as long as one of its values does.
    return this.#together.text.slice(this.#start, this.#start + this.bytes.length);
  }
}
