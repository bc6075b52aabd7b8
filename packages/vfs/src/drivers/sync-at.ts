import { closeSync, fsync, openSync } from "node:fs";
import { promisify } from "node:util";

/** Flushes an open file to the disk. */
export const syncDescriptor = promisify(fsync);

/**
 * Syncs a file, or the names in a directory. Opens and closes it synchronously: each asynchronous call waits for one of Node's
 * threads, which other syncs keep busy.
 */
export async function syncAt(location: string, flags: number): Promise<void> {
  const descriptor = openSync(location, flags);
  try {
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
