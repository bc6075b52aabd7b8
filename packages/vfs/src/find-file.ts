import type { DriverEntry, FileDriver } from "./file-driver.js";
import { FileError } from "./file-error.js";
import { hasFilesBelow } from "./has-files-below.js";
import { normalizePath } from "./normalize-path.js";
import { notFound } from "./not-found.js";

/** Returns the entry of a file. Throws a FileError "not-found", "is-directory" or "invalid-path". */
export async function findFile(driver: FileDriver, path: string): Promise<DriverEntry> {
  const normal = normalizePath(path);
  const entry = normal === "/" ? undefined : await driver.stat(normal);
  if (entry) return entry;
  if (normal === "/" || (await hasFilesBelow(driver, normal))) {
    throw new FileError("is-directory", `${normal} is a directory. Use ls to see what is in it.`);
  }
  throw notFound(normal);
}
