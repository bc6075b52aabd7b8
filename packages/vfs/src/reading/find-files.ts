import type { FileInfo } from "../backend.js";
import { hasFilesBelow } from "../drivers/file-driver.js";
import type { DriverEntry, FileDriver } from "../drivers/file-driver.js";
import { FileError, notFound } from "../errors.js";
import { directoryPrefix, normalizePath } from "../paths.js";

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

/** Every file below a path, or the file itself. Throws a FileError "not-found" when neither is there; `/` always is. */
export async function* listFiles(driver: FileDriver, path: string): AsyncIterable<DriverEntry> {
  const normal = normalizePath(path);
  const file = normal === "/" ? undefined : await driver.stat(normal);
  if (file) yield file;
  let empty = file === undefined;
  for await (const entry of driver.list(normal)) {
    empty = false;
    yield entry;
  }
  if (empty && normal !== "/") throw notFound(normal);
}

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

/** Returns a stored entry in the shape that backends give. Pure. */
export function fileInfo({ path, size, modifiedAt }: DriverEntry): FileInfo {
  return { path, is_dir: false, size, modified_at: modifiedAt };
}

/** Returns all bytes of a file. Throws a FileError "not-found" when it is gone. */
export async function readWhole(driver: FileDriver, path: string): Promise<Uint8Array> {
  const bytes = await driver.read(path);
  if (!bytes) throw notFound(path);
  return bytes;
}
