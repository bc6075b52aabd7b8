import type { FileInfo } from "./backend.js";
import type { DriverEntry, FileDriver } from "./file-driver.js";
import { directoryPrefix } from "./directory-prefix.js";
import { fileInfo } from "./file-info.js";
import { normalizePath } from "./normalize-path.js";
import { notFound } from "./not-found.js";

/**
 * Returns the files and directories directly in a directory, sorted by path, or the file itself.
 * A directory carries the newest time of the files below it. Throws a FileError "not-found" for a path with nothing there.
 */
export async function listDirectory(driver: FileDriver, path: string): Promise<FileInfo[]> {
  const normal = normalizePath(path);
  const prefix = directoryPrefix(normal);
  const infos = new Map<string, FileInfo>();
  for await (const entry of driver.list(normal)) {
    const info = childInfo(entry, prefix);
    const known = infos.get(info.path);
    if (known === undefined || (known.modified_at ?? "") < entry.modifiedAt) infos.set(info.path, info);
  }
  const file = normal === "/" || infos.size > 0 ? undefined : await driver.stat(normal);
  if (file) return [fileInfo(file)];
  if (normal !== "/" && infos.size === 0) throw notFound(normal);
  return [...infos.values()];
}

function childInfo(entry: DriverEntry, prefix: string): FileInfo {
  const slash = entry.path.indexOf("/", prefix.length);
  if (slash < 0) return fileInfo(entry);
  return { path: entry.path.slice(0, slash + 1), is_dir: true, size: 0, modified_at: entry.modifiedAt };
}
