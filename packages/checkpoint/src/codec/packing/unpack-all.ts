import { promisify } from "node:util";
import { constants, inflateRaw } from "node:zlib";
import type { Bundle, Stored } from "./bundle.js";
import { dictionary, shortDictionary } from "./dictionary.js";
import { damaged, dictionaryOf, flushed, headerSize, sizeOf, unpack } from "./pack.js";
import { Unpacked, UnpackedBuffer } from "./unpacked.js";

const inflate = promisify(inflateRaw);

/** Values of this size, in bytes, are inflated one by one. */
const minAloneBytes = 65_536;
const maxStreamBytes = 2_000_000;

/** The dictionaries as stored blocks of a deflate stream: a value that follows its dictionary finds its back references there. */
const blocks = new Map<Uint8Array, Buffer>(
  [dictionary, shortDictionary].map((bytes) => [bytes, storedBlock(bytes)] as const),
);

interface Member {
  readonly packed: Uint8Array;
  readonly block: Buffer;
  /** The index of the value in the result. */
  readonly position: number;
  /** The end of the value in the inflated stream. */
  readonly end: number;
}

/** Small deflated values that are inflated as one stream. */
class Stream {
  readonly #members: Member[] = [];
  #deflatedSize = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(packed: Uint8Array, position: number, dictionary: Buffer): void {
    const block = blocks.get(dictionary) ?? storedBlock(dictionary);
    this.#deflatedSize += block.length + packed.length - headerSize + flushed.length;
    this.#size += dictionary.length + sizeOf(packed);
    this.#members.push({ packed, block, position, end: this.#size });
  }

  async inflateInto(unpacked: Unpacked[]): Promise<void> {
    // One byte more than needed, because zlib allocates another chunk when one gets full.
    const options = {
      finishFlush: constants.Z_SYNC_FLUSH,
      chunkSize: Math.max(this.#size + 1, 64),
      maxOutputLength: this.#size + 1,
    };
    const bytes = await inflate(this.#deflated(), options).catch((cause: unknown) => {
      throw damaged(cause);
    });
    if (bytes.length !== this.#size) throw damaged();
    const buffer = new UnpackedBuffer(bytes);
    let start = 0;
    for (const { packed, position, end } of this.#members) {
      const size = sizeOf(packed);
      // Move the value over the dictionary before it, so that the buffer's text is not longer than the values.
      bytes.copyWithin(start, end - size, end);
      unpacked[position] = new Unpacked({ buffer, start, size });
      start += size;
    }
    buffer.size = start;
  }

  #deflated(): Buffer {
    const stream = Buffer.allocUnsafe(this.#deflatedSize);
    let offset = 0;
    for (const { packed, block } of this.#members) {
      // Copy the value first: the end of the dictionary block overwrites the value's header.
      stream.set(packed, offset + block.length - headerSize);
      stream.set(block, offset);
      offset += block.length + packed.length - headerSize;
      stream.set(flushed, offset);
      offset += flushed.length;
    }
    return stream;
  }
}

/** Returns the unpacked values in the same order. Throws a CheckpointError "corrupt". */
export async function unpackAll(stored: readonly Stored[]): Promise<Unpacked[]> {
  // Unpack a bundle once, however many of its values are requested.
  const packed: Uint8Array[] = [];
  const bundles = new Map<Bundle, number>();
  const positions = stored.map((one) => {
    if (one instanceof Uint8Array) return packed.push(one) - 1;
    const position = bundles.get(one.bundle) ?? packed.push(one.bundle.packed) - 1;
    bundles.set(one.bundle, position);
    return position;
  });
  const unpacked = await unpackEach(packed);
  return stored.map((one, index) => {
    const value = unpacked[positions[index] ?? 0] as Unpacked;
    return one instanceof Uint8Array ? value : value.checkedPart(one.start, one.size);
  });
}

/** Inflates many small values as one stream, off this thread: a stream for each would cost more than the inflating. */
async function unpackEach(packed: readonly Uint8Array[]): Promise<Unpacked[]> {
  const unpacked: Unpacked[] = Array.from({ length: packed.length });
  const running: Promise<void>[] = [];
  let stream = new Stream();
  for (const [position, bytes] of packed.entries()) {
    const dictionary = dictionaryOf(bytes);
    if (!dictionary || sizeOf(bytes) >= minAloneBytes) {
      unpacked[position] = Unpacked.alone(unpack(bytes));
      continue;
    }
    stream.add(bytes, position, dictionary);
    if (stream.size < maxStreamBytes) continue;
    running.push(stream.inflateInto(unpacked));
    stream = new Stream();
  }
  if (stream.size > 0) running.push(stream.inflateInto(unpacked));
  await Promise.all(running);
  return unpacked;
}

function storedBlock(bytes: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xff_ff, 3);
  return Buffer.concat([header, bytes]);
}
