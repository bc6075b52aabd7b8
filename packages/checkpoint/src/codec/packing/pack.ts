import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import type { ZlibOptions } from "node:zlib";
import { CheckpointError } from "../../checkpoint-error.js";
import { dictionary, shortDictionary } from "./dictionary.js";

const raw = 0;
const withDictionary = 1;
const withShortDictionary = 2;

/** Bytes of the mark and the size before a deflated value. */
export const headerSize = 5;
const minSize = 64;
const maxSize = 4_000_000;
const shortFrom = 1024;
const mediumFrom = 16_384;
const fastFrom = 65_536;
const sampleSize = 16_384;

/** A window of 8 KB covers the dictionary and a small value, and takes a third of the time of the largest window. */
const smallValues = { level: 6, windowBits: 13, memLevel: 6 };
/** A longer value, such as a bundle, repeats strings over longer distances. */
const mediumValues = { level: 6 };
const largeValues = { level: 1 };
/** Bytes of a deflated value beyond the value, at most. */
const overhead = 64;

/** The end of a flushed deflate stream. It is not stored: values without it can be concatenated and inflated as one stream. */
export const flushed = Buffer.from([0, 0, 0xff, 0xff]);

export interface PackOptions {
  /** Whether to compress values that get smaller by it. @default true */
  readonly compress?: boolean;
}

/**
 * Returns the stored form of a value: one byte that marks the form, then the bytes, deflated when that is shorter. At most one
 * byte longer than the value. Values over 4 MB are not deflated, because it would take longer than the rest of a step, and are
 * stored without a mark when their first byte cannot be taken for one, which saves a copy. Pure.
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

/** The inverse of `pack`. Throws a CheckpointError "corrupt" for bytes that `pack` did not return. Pure. */
export function unpack(packed: Uint8Array): Buffer {
  const dictionary = dictionaryOf(packed);
  if (!dictionary) return bodyOf(packed, isBare(packed) ? 0 : 1);
  let bytes: Buffer;
  try {
    const options = { dictionary, finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: outputLimit(packed) };
    bytes = inflateRawSync(Buffer.concat([bodyOf(packed, headerSize), flushed]), options);
  } catch (cause) {
    throw damaged(cause);
  }
  if (bytes.length !== sizeOf(packed)) throw damaged();
  return bytes;
}

/** Returns false for a large value whose middle does not compress: compressing all of it would take tens of milliseconds. */
function isPromising(bytes: Uint8Array): boolean {
  if (bytes.length < fastFrom) return true;
  const start = Math.floor((bytes.length - sampleSize) / 2);
  return deflateRawSync(bytes.subarray(start, start + sampleSize), largeValues).length < 0.9 * sampleSize;
}

/** Returns true for a large value stored without a mark, because its first byte is none. */
function isBare(bytes: Uint8Array): boolean {
  return bytes.length > maxSize && (bytes[0] ?? 0) > withShortDictionary;
}

/** Returns the dictionary of a deflated value, undefined for an uncompressed one. Throws a CheckpointError "corrupt". Pure. */
export function dictionaryOf(packed: Uint8Array): Buffer | undefined {
  const mark = packed[0];
  if (mark === raw || isBare(packed)) return undefined;
  if (packed.length < headerSize || (mark !== withDictionary && mark !== withShortDictionary))
    throw damaged();
  return mark === withDictionary ? dictionary : shortDictionary;
}

/** Returns the most bytes that a deflated value may inflate to. Throws a CheckpointError "corrupt" for a size that `pack` never states. */
function outputLimit(packed: Uint8Array): number {
  const size = sizeOf(packed);
  if (size < minSize || size > maxSize) throw damaged();
  return size;
}

/** Returns the unpacked size of a deflated value in bytes. Pure. */
export function sizeOf(packed: Uint8Array): number {
  // Hot path: creating a DataView for each small value would take longer than inflating it.
  const low = (packed[1] ?? 0) + (packed[2] ?? 0) * 2 ** 8;
  return low + (packed[3] ?? 0) * 2 ** 16 + (packed[4] ?? 0) * 2 ** 24;
}

function deflate(bytes: Uint8Array, mark: number): Buffer {
  const deflated = deflateRawSync(bytes, {
    dictionary: mark === withDictionary ? dictionary : shortDictionary,
    finishFlush: constants.Z_SYNC_FLUSH,
    // Room for all of a small value: Node allocates this much for each call, 16 KB by default.
    chunkSize: Math.min(bytes.length, fastFrom) + overhead,
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
    "A stored value is damaged: it cannot be unpacked. Restore the database from a copy.",
    {
      cause,
    },
  );
}
