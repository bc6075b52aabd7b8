import type { DriverEntry, FileDriver } from "./file-driver.js";

const chunkBytes = 256 * 1024;

export interface FileChunk {
  /** Where the chunk begins in the file, in bytes. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** The bytes of a file, 256 KiB at a time. Ends early when the file became shorter meanwhile. */
export async function* readChunks(driver: FileDriver, entry: DriverEntry): AsyncIterable<FileChunk> {
  for (let start = 0; start < entry.size; start += chunkBytes) {
    const bytes = await driver.read(entry.path, { start, end: Math.min(start + chunkBytes, entry.size) });
    if (!bytes || bytes.length === 0) return;
    yield { start, bytes };
  }
}
