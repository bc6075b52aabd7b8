import { isAscii } from "node:buffer";

/** The concatenation of values that were unpacked as one stream. */
export class UnpackedBuffer {
  readonly #bytes: Buffer;
  #isAscii: boolean | undefined;
  #text: string | undefined;
  /** The length of the values in bytes. */
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

  /** The bytes decoded as Latin-1, which is right for values that are ASCII. */
  get text(): string {
    this.#text ??= this.#bytes.toString("latin1", 0, this.size);
    return this.#text;
  }
}

export interface UnpackedParts {
  readonly buffer: UnpackedBuffer;
  readonly start: number;
  readonly size: number;
  /** Whether the digest of the bundle that contained the value was checked. @default false */
  readonly isChecked?: boolean;
}

/** An unpacked value: a range of a buffer. */
export class Unpacked {
  readonly isChecked: boolean;
  readonly #buffer: UnpackedBuffer;
  readonly #start: number;
  readonly #size: number;

  constructor({ buffer, start, size, isChecked = false }: UnpackedParts) {
    this.#buffer = buffer;
    this.#start = start;
    this.#size = size;
    this.isChecked = isChecked;
  }

  static alone(bytes: Buffer): Unpacked {
    return new Unpacked({ buffer: new UnpackedBuffer(bytes), start: 0, size: bytes.length });
  }

  get bytes(): Buffer {
    return this.#buffer.at(this.#start, this.#size);
  }

  /** Returns a range of this value as a value of its own, with its digest checked. */
  checkedPart(start: number, size: number): Unpacked {
    return new Unpacked({ buffer: this.#buffer, start: this.#start + start, size, isChecked: true });
  }

  /** The value decoded as UTF-8. */
  get text(): string {
    const buffer = this.#buffer;
    const isAlone = this.#size === buffer.size;
    if (isAlone || !(buffer.isAscii || isAscii(this.bytes))) return this.bytes.toString();
    // A slice points into the buffer's text, so the garbage collector does not move each message. The text, at most two
    // megabytes, stays in memory as long as one of its slices.
    return buffer.text.slice(this.#start, this.#start + this.#size);
  }
}
