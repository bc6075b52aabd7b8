import type { Dirent } from "node:fs";
import { lstat, opendir, readdir } from "node:fs/promises";
import { FileError } from "../errors.js";
import { comparePaths } from "../paths.js";
import { ignoreAbsent } from "./directory-root.js";
import type { DirectoryRoot, OpenDirectory } from "./directory-root.js";
import type { DriverEntry } from "./file-driver.js";
import { isPathName } from "./reserved-names.js";

/** `stat` calls at once. A batch, not a queue: the caller takes the entries in order and may stop early. */
const concurrency = 64;

/**
 * Yields every file below a directory on disk, sorted by path. A link to a file inside the root counts as a file. The walk
 * skips links to directories, which can form cycles, links that leave the root, and names that a path cannot contain.
 */
export async function* walkDirectory(root: DirectoryRoot, path: string): AsyncIterable<DriverEntry> {
  const directory = await root.enter(path);
  if (directory) yield* walk(root, { path, directory });
}

/** An open directory and its normal path. The walk closes it. */
interface Place {
  readonly path: string;
  readonly directory: OpenDirectory;
}

async function* walk(root: DirectoryRoot, place: Place): AsyncIterable<DriverEntry> {
  const { directory } = place;
  try {
    const children = await readChildren(directory);
    for (let from = 0; from < children.length; from += concurrency) {
      const batch = children.slice(from, from + concurrency);
      const entries = await Promise.all(batch.map(async (child) => describe(root, place, child)));
      for (const [index, child] of batch.entries()) {
        const entry = entries[index];
        if (child.isDirectory()) {
          const below = await root.enterChild(directory, child.name);
          if (below) yield* walk(root, { path: pathIn(place, child), directory: below });
        } else if (entry) yield entry;
      }
    }
  } finally {
    directory.close();
  }
}

function pathIn({ path }: Place, { name }: Dirent): string {
  return path === "/" ? `/${name}` : `${path}/${name}`;
}

async function readChildren(directory: OpenDirectory): Promise<Dirent[]> {
  const children = (await readdir(directory.at("."), { withFileTypes: true }).catch(ignoreAbsent)) ?? [];
  return children
    .filter((child) => isPathName(child.name))
    .sort((a, b) => comparePaths(sortKey(a), sortKey(b)));
}

/** A directory sorts by its name and a slash, where the paths of its files belong. */
function sortKey(child: Dirent): string {
  return child.isDirectory() ? `${child.name}/` : child.name;
}

/** Returns the entry of a file, or of a link to one inside the root; undefined for anything else. */
async function describe(root: DirectoryRoot, place: Place, child: Dirent): Promise<DriverEntry | undefined> {
  const path = pathIn(place, child);
  if (child.isSymbolicLink()) return describeLink(root, path);
  const found = child.isFile() ? await lstat(place.directory.at(child.name)).catch(ignoreAbsent) : undefined;
  return found?.isFile() ? { path, size: found.size, modifiedAt: found.mtime.toISOString() } : undefined;
}

async function describeLink(root: DirectoryRoot, path: string): Promise<DriverEntry | undefined> {
  try {
    const found = await root.find(path);
    found?.close();
    if (!found?.stats.isFile()) return undefined;
    return { path, size: found.stats.size, modifiedAt: found.stats.mtime.toISOString() };
  } catch (error) {
    if (FileError.isInstance(error)) return undefined;
    throw error;
  }
}

const page = 4_096;

/** Yields the paths of `walkDirectory` in pages, in any order. Reads directories only; it opens no file. */
export async function* directoryPaths(root: DirectoryRoot, path: string): AsyncIterable<readonly string[]> {
  const directory = await root.enter(path);
  if (!directory) return;
  const below: string[] = [];
  try {
    let paths: string[] = [];
    for await (const child of (await opendir(directory.at("."), { bufferSize: page }).catch(ignoreAbsent)) ??
      []) {
      if (!isPathName(child.name)) continue;
      const own = pathIn({ path, directory }, child);
      if (child.isDirectory()) below.push(own);
      else if (child.isFile() || (await describeLink(root, own)) !== undefined) paths.push(own);
      if (paths.length < page) continue;
      yield paths;
      paths = [];
    }
    if (paths.length > 0) yield paths;
  } finally {
    directory.close();
  }
  for (const own of below) yield* skipLinks(root, own);
}

/** Yields no paths for a directory that has become a link out of the root since it was listed. */
async function* skipLinks(root: DirectoryRoot, path: string): AsyncIterable<readonly string[]> {
  try {
    yield* directoryPaths(root, path);
  } catch (error) {
    if (!FileError.isInstance(error)) throw error;
  }
}
