import { FileError, normalizePath } from "@palimpsest/vfs";

/** Returns the normal form of a file's path. Throws a FileError "is-directory" for the root. Pure. */
export function filePath(path: string): string {
  const normal = normalizePath(path);
  if (normal !== "/") return normal;
  throw new FileError("is-directory", "/ is a directory. Name a file below it.");
}
