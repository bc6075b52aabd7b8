import type { FileDriver } from "./file-driver.js";

/** Returns true when a path is a directory: some file lies below it. Reads at most one entry. */
export async function hasFilesBelow(driver: FileDriver, path: string): Promise<boolean> {
  for await (const entry of driver.list(path)) return entry.path !== path;
  return false;
}
