import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import type { ZlibOptions } from "node:zlib";
import { CheckpointError } from "../../checkpoint-error.js";
import { dictionary, shortDictionary } from "./dictionary.js";

const raw = 0;
const withDictionary = 1;
const withShortDictionary = 2;

/** Bytes before a deflated value. */
export const headerSize = 5;
const minSize = 64;
const maxSize = 4_000_000;
const shortFrom = 1024;
const mediumFrom = 16_384;
const fastFrom = 65_536;
const sampleSize = 16_384;

/** A window of 8 KB holds the dictionary and a small value, and costs a third of the time that the largest one takes. */
const smallValues = { level: 6, windowBits: 13, memLevel: 6 };
/** In a longer value, as of many together, there is more to find further back. */
const mediumValues = { level: 6 };
const largeValues = { level: 1 };

/** What a deflated value ends with. It is left out when stored: values without an end can be inflated in one stream. */
export const flushed = Buffer.from([0, 0, 0xff, 0xff]);

export interface PackOptions {
  /** Whether to compress where it makes the bytes fewer. @default true */
  readonly compress?: boolean;
}

/**
 * Returns the bytes as they are stored: one byte that says how, then the bytes, deflated where that makes them fewer.
 * Never more than one byte longer. Over 4 MB nothing is deflated, which would take longer than the rest of a step, nor
 * copied to put a byte before it that its first one does without. Pure.
 */
export function pack(bytes: Uint8Array, { compress = true }: PackOptions = {}): Buffer {
  if (isBare(bytes)) return bodyOf(bytes, 0);
  if (compress && bytes.length >= minSize && bytes.length <= maxSize && isPromising(bytes)) {
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
  const dictionary = dictionaryOf(packed);
  if (!dictionary) return bodyOf(packed, isBare(packed) ? 0 : 1);
  let bytes: Buffer;
  try {
    const finishFlush = constants.Z_SYNC_FLUSH;
    bytes = inflateRawSync(Buffer.concat([bodyOf(packed, headerSize), flushed]), { dictionary, finishFlush });
  } catch (cause) {
    throw damaged(cause);
  }
  if (bytes.length !== sizeOf(packed)) throw damaged();
  return bytes;
}

/** False for a large value of which a piece does not get smaller: to try all of it would take tens of milliseconds. */
function isPromising(bytes: Uint8Array): boolean {
  if (bytes.length < fastFrom) return true;
  const start = Math.floor((bytes.length - sampleSize) / 2);
  return deflateRawSync(bytes.subarray(start, start + sampleSize), largeValues).length < 0.9 * sampleSize;
}

/** True for a large value that begins with none of the marks: it stands as it is. */
function isBare(bytes: Uint8Array): boolean {
  return bytes.length > maxSize && (bytes[0] ?? 0) > withShortDictionary;
}

/** Returns the dictionary of a deflated value, undefined for one that is stored as it is. Throws a CheckpointError "corrupt". Pure. */
export function dictionaryOf(packed: Uint8Array): Buffer | undefined {
  const mark = packed[0];
  if (mark === raw || isBare(packed)) return undefined;
  if (packed.length < headerSize || (mark !== withDictionary && mark !== withShortDictionary))
    throw damaged();
  return mark === withDictionary ? dictionary : shortDictionary;
}

/** Returns how many bytes a deflated value had. Pure. */
export function sizeOf(packed: Uint8Array): number {
  // By index: a view on each of many small values takes longer than the rest of unpacking it.
  const low = (packed[1] ?? 0) + (packed[2] ?? 0) * 2 ** 8;
  return low + (packed[3] ?? 0) * 2 ** 16 + (packed[4] ?? 0) * 2 ** 24;
}

function deflate(bytes: Uint8Array, mark: number): Buffer {
  const deflated = deflateRawSync(bytes, {
    dictionary: mark === withDictionary ? dictionary : shortDictionary,
    finishFlush: constants.Z_SYNC_FLUSH,
    ...settingsFor(bytes.length),
  });
  return deflated.subarray(0, -flushed.length);
}

function settingsFor(size: number): ZlibOptions {
  if (size < mediumFrom) return smallValues;
  return size < fastFrom ? mediumValues : largeValues;
}

function bodyOf(packed: Uint8Array, start: number): Buffer {
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
