import type { FileDriver } from "@palimpsest/vfs";

/** Overwritten with each question. */
const path = "/clock";

/**
 * Returns the time of the clock that dates the files of a driver, in milliseconds. The clock of this process may be hours off that
 * of a database server: by it, a file that was just written would be old.
 */
export async function storageTime(driver: FileDriver): Promise<number> {
  await driver.write(path, new Uint8Array());
  const entry = await driver.stat(path);
  return entry === undefined ? Date.now() : Date.parse(entry.modifiedAt);
}
