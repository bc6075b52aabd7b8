import type { FileInfo } from "../backend.js";
import { hasFilesBelow } from "../drivers/file-driver.js";
import type { DriverEntry, FileDriver } from "../drivers/file-driver.js";
import { FileError, isUnreadable, notFound } from "../errors.js";
import { comparePaths, directoryPrefix } from "../paths.js";
import type { NormalPath } from "../paths.js";

/** Returns the entry of a file. Throws a FileError "not-found" or "is-directory". */
export async function findFile(driver: FileDriver, path: NormalPath): Promise<DriverEntry> {
  const entry = path === "/" ? undefined : await driver.stat(path);
  if (entry) return entry;
  if (path === "/" || (await hasFilesBelow(driver, path))) {
    throw new FileError("is-directory", `${path} is a directory. Use ls to see what is in it.`);
  }
  throw notFound(path);
}

/**
 * Returns the files and directories directly in a directory, sorted by path, or the file itself. A directory has the
 * newest time of the files below it. Throws a FileError "not-found" when the path does not exist.
 */
export async function listDirectory(driver: FileDriver, path: NormalPath): Promise<FileInfo[]> {
  const prefix = directoryPrefix(path);
  const infos = new Map<string, FileInfo>();
  try {
    for await (const entry of driver.list(path)) {
      const info = childInfo(entry, prefix);
      const known = infos.get(info.path);
      if (known === undefined || (known.modified_at ?? "") < entry.modifiedAt) infos.set(info.path, info);
    }
  } catch (error) {
    if (!isUnreadable(error) || error.path?.startsWith(prefix) !== true) throw error;
    const closed = childInfo({ path: `${error.path}/`, size: 0, modifiedAt: "" }, prefix);
    infos.set(closed.path, {
      ...infos.get(closed.path),
      path: closed.path,
      is_dir: true,
      note: error.message,
    });
  }
  const file = path === "/" || infos.size > 0 ? undefined : await driver.stat(path);
  if (file) return [fileInfo(file)];
  if (path !== "/" && infos.size === 0) throw notFound(path);
  return [...infos.values()].sort((a, b) => comparePaths(a.path, b.path));
}

function childInfo(entry: DriverEntry, prefix: string): FileInfo {
  const slash = entry.path.indexOf("/", prefix.length);
  if (slash < 0) return fileInfo(entry);
  return { path: entry.path.slice(0, slash + 1), is_dir: true, size: 0, modified_at: entry.modifiedAt };
}

/** Returns a driver's entry in the shape that backends return. Pure. */
export function fileInfo({ path, size, modifiedAt }: DriverEntry): FileInfo {
  return { path, is_dir: false, size, modified_at: modifiedAt };
}

/** Yields every file below a path, or the file itself. Throws a FileError "not-found" when the path does not exist; `/` does. */
export async function* listFiles(driver: FileDriver, path: NormalPath): AsyncIterable<DriverEntry> {
  const file = path === "/" ? undefined : await driver.stat(path);
  if (file) yield file;
  let empty = file === undefined;
  for await (const entry of driver.list(path)) {
    empty = false;
    yield entry;
  }
  if (empty && path !== "/") throw notFound(path);
}

/** Returns all bytes of a file. Throws a FileError "not-found" when the file is gone. */
export async function readWhole(driver: FileDriver, path: string): Promise<Uint8Array> {
  const bytes = await driver.read(path);
  if (!bytes) throw notFound(path);
  return bytes;
}
