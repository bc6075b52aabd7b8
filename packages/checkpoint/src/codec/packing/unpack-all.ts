import { promisify } from "node:util";
import { constants, inflateRaw } from "node:zlib";
import type { Bundle, Stored } from "./bundle.js";
import { dictionary, shortDictionary } from "./dictionary.js";
import { damaged, dictionaryOf, flushed, headerSize, sizeOf, unpack } from "./pack.js";
import { Together, Unpacked } from "./unpacked.js";

const inflate = promisify(inflateRaw);

/** Values this large are inflated by themselves. */
const alone = 65_536;
const perStream = 2_000_000;

/** The dictionaries as blocks of a stream: behind its own a value finds its references as it did when it was deflated. */
const blocks = new Map<Uint8Array, Buffer>(
  [dictionary, shortDictionary].map((bytes) => [bytes, storedBlock(bytes)] as const),
);

interface Member {
  readonly packed: Uint8Array;
  readonly block: Buffer;
  /** Where among the values it stands. */
  readonly position: number;
  /** Where in the inflated stream it ends. */
  readonly end: number;
}

/** Small deflated values, to be inflated as one stream. */
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
    // A byte more than is needed: a chunk that gets full is followed by another one.
    const options = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: Math.max(this.#size + 1, 64) };
    const bytes = await inflate(this.#deflated(), options).catch((cause: unknown) => {
      throw damaged(cause);
    });
    if (bytes.length !== this.#size) throw damaged();
    const together = new Together(bytes);
    let start = 0;
    for (const { packed, position, end } of this.#members) {
      const size = sizeOf(packed);
      // Over the dictionaries in between: the text of all is then no longer than the values are.
      bytes.copyWithin(start, end - size, end);
      unpacked[position] = new Unpacked({ together, start, size });
      start += size;
    }
    together.size = start;
  }

  #deflated(): Buffer {
    const stream = Buffer.allocUnsafe(this.#deflatedSize);
    let offset = 0;
    for (const { packed, block } of this.#members) {
      // The value first: its header is where the end of the block comes to stand.
      stream.set(packed, offset + block.length - headerSize);
      stream.set(block, offset);
      offset += block.length + packed.length - headerSize;
      stream.set(flushed, offset);
      offset += flushed.length;
    }
    return stream;
  }
}

/** Returns what was packed, in the same order. Throws a CheckpointError "corrupt". */
export async function unpackAll(stored: readonly Stored[]): Promise<Unpacked[]> {
  // Each bundle once, however many of its values are asked for.
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

/**
 * Small values are inflated many at a time, off this thread: setting up one stream for each takes longer than inflating it.
 */
async function unpackEach(packed: readonly Uint8Array[]): Promise<Unpacked[]> {
  const unpacked: Unpacked[] = Array.from({ length: packed.length });
  const running: Promise<void>[] = [];
  let stream = new Stream();
  for (const [position, bytes] of packed.entries()) {
    const dictionary = dictionaryOf(bytes);
    if (!dictionary || sizeOf(bytes) >= alone) {
      unpacked[position] = Unpacked.alone(unpack(bytes));
      continue;
    }
    stream.add(bytes, position, dictionary);
    if (stream.size < perStream) continue;
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
