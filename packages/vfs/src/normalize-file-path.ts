import { FileError } from "./file-error.js";
import { normalizePath } from "./normalize-path.js";

/** Returns the normal path of a file. Pure. Throws a FileError "is-directory" for `/`, "invalid-path" as normalizePath does. */
export function normalizeFilePath(path: string): string {
  const normal = normalizePath(path);
  if (normal === "/") throw new FileError("is-directory", "/ is a directory. Name a file below it.");
  return normal;
}
