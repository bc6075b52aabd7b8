import { pack } from "../codec/packing/pack.js";

/** Bytes of a file that are one row, so that a range reads only its rows. */
export const chunkSize = 262_144;

/** Yields a file's bytes in the chunks that are stored, packed. Pure. */
export function* chunksOf(bytes: Uint8Array): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += chunkSize) {
    yield pack(bytes.subarray(start, start + chunkSize));
  }
}
