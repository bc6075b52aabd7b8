import { promisify } from "node:util";
import { constants, inflateRaw } from "node:zlib";
import { dictionary, shortDictionary } from "./dictionary.js";
import { damaged, headerOf, segmentOf, unpack } from "./pack.js";

const inflate = promisify(inflateRaw);

/** Values this large are inflated by themselves. */
const alone = 65_536;
const perStream = 1_000_000;

/** The dictionaries as blocks of a stream: behind its own a value finds its references as it did when it was deflated. */
const blocks = new Map<Uint8Array, readonly Uint8Array[]>(
  [dictionary, shortDictionary].map((bytes) => [bytes, storedBlock(bytes)] as const),
);

interface Member {
  readonly position: number;
  /** Where in the stream its bytes begin and end. */
  readonly start: number;
  readonly end: number;
}

/** Small deflated values, to be inflated as one stream. */
class Stream {
  readonly parts: Uint8Array[] = [];
  readonly members: Member[] = [];
  size = 0;

  add(
    packed: Uint8Array,
    position: number,
    { size, dictionary }: { readonly size: number; readonly dictionary: Buffer },
  ): void {
    this.parts.push(...(blocks.get(dictionary) ?? []), ...segmentOf(packed));
    const start = this.size + dictionary.length;
    this.size = start + size;
    this.members.push({ position, start, end: this.size });
  }

  async inflateInto(unpacked: Buffer[]): Promise<void> {
    const options = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: Math.max(this.size, 64) };
    const bytes = await inflate(Buffer.concat(this.parts), options).catch((cause: unknown) => {
      throw damaged(cause);
    });
    if (bytes.length !== this.size) throw damaged();
    for (const { position, start, end } of this.members) unpacked[position] = bytes.subarray(start, end);
  }
}

/**
 * Returns what was packed, in the same order. Small values are inflated many at a time, off this thread: setting up one
 * stream for each takes longer than inflating it. Throws a CheckpointError "corrupt".
 */
export async function unpackAll(packed: readonly Uint8Array[]): Promise<Buffer[]> {
  const unpacked: Buffer[] = Array.from({ length: packed.length });
  const running: Promise<void>[] = [];
  let stream = new Stream();
  for (const [position, bytes] of packed.entries()) {
    const { size, dictionary } = headerOf(bytes);
    if (!dictionary || size >= alone) {
      unpacked[position] = unpack(bytes);
      continue;
    }
    stream.add(bytes, position, { size, dictionary });
    if (stream.size < perStream) continue;
    running.push(stream.inflateInto(unpacked));
    stream = new Stream();
  }
  if (stream.size > 0) running.push(stream.inflateInto(unpacked));
  await Promise.all(running);
  return unpacked;
}

function storedBlock(bytes: Buffer): readonly Buffer[] {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xff_ff, 3);
  return [header, bytes];
}
