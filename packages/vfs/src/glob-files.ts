import type { FileInfo } from "./backend.js";
import type { FileDriver } from "./file-driver.js";
import { fileInfo } from "./file-info.js";
import { globFilter } from "./glob-filter.js";
import { listFiles } from "./list-files.js";
import { normalizePath } from "./normalize-path.js";

/** Returns the files below a path that match a glob, sorted by path. Throws a FileError for a bad glob or path. */
export async function globFiles(driver: FileDriver, pattern: string, path: string): Promise<FileInfo[]> {
  const base = normalizePath(path);
  const matches = globFilter(pattern, base);
  const infos: FileInfo[] = [];
  for await (const entry of listFiles(driver, base)) {
    if (matches(entry.path)) infos.push(fileInfo(entry));
  }
  return infos;
}
