import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { CheckpointError } from "../checkpoint-error.js";
import { dictionary, shortDictionary } from "./dictionary.js";

const raw = 0;
const withDictionary = 1;
const withShortDictionary = 2;
const headerSize = 5;
const minSize = 64;
const maxSize = 4_000_000;
const shortFrom = 1024;
const fastFrom = 65_536;

/** A window of 8 KB holds the dictionary and a small value, and costs a third of the time that the largest one takes. */
const smallValues = { level: 6, windowBits: 13, memLevel: 6 };
const largeValues = { level: 1 };

/** What a deflated value ends with. It is left out when stored: values without an end can be inflated in one stream. */
const flushed = Buffer.from([0, 0, 0xff, 0xff]);

export interface PackOptions {
  /** Whether to compress where it makes the bytes fewer. @default true */
  readonly compress?: boolean;
}

/**
 * Returns the bytes as they are stored: one byte that says how, then the bytes, deflated where that makes them fewer.
 * Never more than one byte longer. Over 4 MB nothing is deflated, which would take longer than the rest of a step. Pure.
 */
export function pack(bytes: Uint8Array, { compress = true }: PackOptions = {}): Buffer {
  if (compress && bytes.length >= minSize && bytes.length <= maxSize) {
    const mark = bytes.length < shortFrom ? withDictionary : withShortDictionary;
    const body = deflate(bytes, mark);
    if (body.length + headerSize <= bytes.length) {
      const header = Buffer.allocUnsafe(headerSize);
      header.writeUInt8(mark, 0);
      header.writeUInt32LE(bytes.length, 1);
      return Buffer.concat([header, body]);
    }
  }
  return Buffer.concat([Buffer.from([raw]), bytes]);
}

/** Returns what was packed. Throws a CheckpointError "corrupt" for bytes that `pack` did not make. Pure. */
export function unpack(packed: Uint8Array): Buffer {
  const { size, dictionary } = headerOf(packed);
  if (!dictionary) return bodyOf(packed, 1);
  let bytes: Buffer;
  try {
    const finishFlush = constants.Z_SYNC_FLUSH;
    bytes = inflateRawSync(Buffer.concat([bodyOf(packed, headerSize), flushed]), { dictionary, finishFlush });
  } catch (cause) {
    throw damaged(cause);
  }
  if (bytes.length !== size) throw damaged();
  return bytes;
}

/** How a value is stored. Without a dictionary it is stored as it is. */
export interface PackHeader {
  /** Bytes, before it was packed. */
  readonly size: number;
  readonly dictionary: Buffer | undefined;
}

/** Returns how a value is stored. Throws a CheckpointError "corrupt". Pure. */
export function headerOf(packed: Uint8Array): PackHeader {
  const mark = packed[0];
  if (mark === raw) return { size: packed.length - 1, dictionary: undefined };
  if (packed.length < headerSize || (mark !== withDictionary && mark !== withShortDictionary))
    throw damaged();
  return {
    size: bodyOf(packed, 1).readUInt32LE(0),
    dictionary: mark === withDictionary ? dictionary : shortDictionary,
  };
}

function deflate(bytes: Uint8Array, mark: number): Buffer {
  const deflated = deflateRawSync(bytes, {
    dictionary: mark === withDictionary ? dictionary : shortDictionary,
    finishFlush: constants.Z_SYNC_FLUSH,
    ...(bytes.length < fastFrom ? smallValues : largeValues),
  });
  return deflated.subarray(0, -flushed.length);
}

/** Returns a deflated value as a part of a longer stream. */
export function segmentOf(packed: Uint8Array): readonly Buffer[] {
  return [bodyOf(packed, headerSize), flushed];
}

export function bodyOf(packed: Uint8Array, start: number): Buffer {
  return Buffer.from(packed.buffer, packed.byteOffset + start, packed.byteLength - start);
}

export function damaged(cause?: unknown): CheckpointError {
  return new CheckpointError(
    "corrupt",
    "A stored value is damaged: it does not unpack. Restore it from a copy.",
    {
      cause,
    },
  );
}
