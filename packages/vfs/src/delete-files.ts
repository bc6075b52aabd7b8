import type { FileDriver } from "./file-driver.js";
import { FileError } from "./file-error.js";
import { listFiles } from "./list-files.js";
import { normalizePath } from "./normalize-path.js";

/** Returns the path after deleting the file there, or every file below it. Throws a FileError "not-found", or for `/`. */
export async function deleteFiles(driver: FileDriver, path: string): Promise<string> {
  const normal = normalizePath(path);
  if (normal === "/") {
    throw new FileError("invalid-path", "/ is the root and stays. Delete files or directories below it.");
  }
  const paths: string[] = [];
  for await (const entry of listFiles(driver, normal)) paths.push(entry.path);
  await Promise.all(paths.map(async (file) => driver.delete(file)));
  return normal;
}
