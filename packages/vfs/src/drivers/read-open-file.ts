import { read, readSync } from "node:fs";
import { promisify } from "node:util";
import { maxAtOnce } from "./atomic-files.js";
import type { ByteRange } from "./file-driver.js";

const readLater = promisify(read);

/** Returns a range of an open file; `size` is in bytes. Reads up to `maxAtOnce` bytes synchronously, more in pieces of that size. */
export async function readRange(descriptor: number, size: number, range?: ByteRange): Promise<Uint8Array> {
  const start = Math.min(Math.max(0, range?.start ?? 0), size);
  const length = Math.max(0, Math.min(range?.end ?? size, size) - start);
  if (length <= maxAtOnce) return readAtOnce(descriptor, start, length);
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const piece = Math.min(length - filled, maxAtOnce);
    const { bytesRead } = await readLater(descriptor, bytes, filled, piece, start + filled);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
  }
  return bytes;
}

/** Returns the bytes of an open file from an offset, fewer where it ends. One system call may return only a part of them. */
export function readAtOnce(descriptor: number, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const count = readSync(descriptor, bytes, filled, length - filled, start + filled);
    if (count === 0) return bytes.subarray(0, filled);
    filled += count;
  }
  return bytes;
}
