import type { Dirent } from "node:fs";
import { opendir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, FileError } from "../errors.js";
import { comparePaths } from "../paths.js";
import { isPathName } from "./directory-root.js";
import type { DirectoryRoot } from "./directory-root.js";
import type { DriverEntry } from "./file-driver.js";

/** `stat` calls at once. A batch, not a queue: the caller takes the entries in order and may stop early. */
const concurrency = 64;

/**
 * Yields every file below a directory on disk, sorted by path. A link to a file inside the root counts as a file. The walk
 * skips links to directories, which can form cycles, links that leave the root, and names that a path cannot contain.
 */
export async function* walkDirectory(root: DirectoryRoot, path: string): AsyncIterable<DriverEntry> {
  const children = await readChildren(root.locate(path));
  const base = path === "/" ? "" : path;
  for (let from = 0; from < children.length; from += concurrency) {
    const batch = children.slice(from, from + concurrency);
    const entries = await Promise.all(
      batch.map(async (child) => describe(root, `${base}/${child.name}`, child)),
    );
    for (const [index, child] of batch.entries()) {
      const entry = entries[index];
      if (child.isDirectory()) yield* walkDirectory(root, `${base}/${child.name}`);
      else if (entry) yield entry;
    }
  }
}

async function readChildren(location: string): Promise<Dirent[]> {
  const children = await readdir(location, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return [];
    throw error;
  });
  return children
    .filter((child) => isPathName(child.name))
    .sort((a, b) => comparePaths(sortKey(a), sortKey(b)));
}

/** A directory sorts by its name and a slash, where the paths of its files belong. */
function sortKey(child: Dirent): string {
  return child.isDirectory() ? `${child.name}/` : child.name;
}

/** Returns the entry of a file, or of a link to one inside the root; undefined for anything else. */
export async function describe(
  root: DirectoryRoot,
  path: string,
  child: Dirent,
): Promise<DriverEntry | undefined> {
  if (!child.isFile() && !child.isSymbolicLink()) return undefined;
  try {
    const real = await root.resolveExisting(join(root.path, path), path);
    if (real === undefined) return undefined;
    const found = await stat(real);
    return found.isFile() ? { path, size: found.size, modifiedAt: found.mtime.toISOString() } : undefined;
  } catch (error) {
    if (FileError.isInstance(error) || errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const page = 4_096;

/** Yields the paths of `walkDirectory` in pages, in any order. Reads directories only; it opens no file. */
export async function* directoryPaths(root: DirectoryRoot, path: string): AsyncIterable<readonly string[]> {
  const base = path === "/" ? "" : path;
  const below: string[] = [];
  let paths: string[] = [];
  const directory = await opendir(root.locate(path), { bufferSize: page }).catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR") throw error;
  });
  for await (const child of directory ?? []) {
    if (!isPathName(child.name)) continue;
    const own = `${base}/${child.name}`;
    if (child.isDirectory()) below.push(own);
    else if (child.isFile() || (await describe(root, own, child)) !== undefined) paths.push(own);
    if (paths.length < page) continue;
    yield paths;
    paths = [];
  }
  if (paths.length > 0) yield paths;
  for (const own of below) yield* directoryPaths(root, own);
}
