import { isAscii } from "node:buffer";

/** Values that were unpacked together, one behind the other. */
export class Together {
  readonly #bytes: Buffer;
  #isAscii: boolean | undefined;
  #text: string | undefined;
  /** How many bytes the values have. */
  size: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.size = bytes.length;
  }

  at(start: number, size: number): Buffer {
    return this.#bytes.subarray(start, start + size);
  }

  get isAscii(): boolean {
    this.#isAscii ??= isAscii(this.at(0, this.size));
    return this.#isAscii;
  }

  /** The bytes as Latin-1: what in them is ASCII stands in it as it is. */
  get text(): string {
    this.#text ??= this.#bytes.toString("latin1", 0, this.size);
    return this.#text;
  }
}

export interface UnpackedParts {
  readonly together: Together;
  readonly start: number;
  readonly size: number;
  /** Whether what it was stored in was found to have its digest. @default false */
  readonly isChecked?: boolean;
}

/** A value as it was before it was packed. */
export class Unpacked {
  readonly isChecked: boolean;
  readonly #together: Together;
  readonly #start: number;
  readonly #size: number;

  constructor({ together, start, size, isChecked = false }: UnpackedParts) {
    this.#together = together;
    this.#start = start;
    this.#size = size;
    this.isChecked = isChecked;
  }

  static alone(bytes: Buffer): Unpacked {
    return new Unpacked({ together: new Together(bytes), start: 0, size: bytes.length });
  }

  get bytes(): Buffer {
    return this.#together.at(this.#start, this.#size);
  }

  /** A piece of this value, which was checked. */
  checkedPart(start: number, size: number): Unpacked {
    return new Unpacked({ together: this.#together, start: this.#start + start, size, isChecked: true });
  }

  /** The value as text, which it has to be. */
  get text(): string {
    const together = this.#together;
    const isAlone = this.#size === together.size;
    if (isAlone || !(together.isAscii || isAscii(this.bytes))) return this.bytes.toString();
    // A slice of a text is a few words that point into it: the garbage collector need not carry each message about. The
    // text, of two megabytes at most, stays as long as one of its values does.
    return together.text.slice(this.#start, this.#start + this.#size);
  }
}
