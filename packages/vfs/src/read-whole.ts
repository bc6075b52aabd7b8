import type { FileDriver } from "./file-driver.js";
import { notFound } from "./not-found.js";

/** Returns all bytes of a file. Throws a FileError "not-found" when it is gone. */
export async function readWhole(driver: FileDriver, path: string): Promise<Uint8Array> {
  const bytes = await driver.read(path);
  if (!bytes) throw notFound(path);
  return bytes;
}
