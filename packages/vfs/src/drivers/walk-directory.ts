import type { Dirent } from "node:fs";
import { lstat, opendir, readdir } from "node:fs/promises";
import { FileError, isUnreadable } from "../errors.js";
import { comparePaths } from "../paths.js";
import { ignoreAbsent } from "./directory-root.js";
import type { DirectoryRoot, OpenDirectory } from "./directory-root.js";
import type { DriverEntry } from "./file-driver.js";
import { isPathName } from "./reserved-names.js";
import { explainRead, isDenied } from "./system-errors.js";

/** `stat` calls at once. A batch, not a queue: the caller takes the entries in order and may stop early. */
const concurrency = 64;

/**
 * Yields every file below a directory on disk, sorted by path. A link to a file inside the root counts as a file. The walk
 * skips links to directories, which can form cycles, links that leave the root, and names that a path cannot contain.
 *
 * Throws a FileError "unreadable" for a directory that the process may not read, after every file that it may.
 */
export async function* walkDirectory(root: DirectoryRoot, path: string): AsyncIterable<DriverEntry> {
  const unreadable: unknown[] = [];
  const directory = await unlessDenied({ path, unreadable }, undefined, async () => root.enter(path));
  if (directory) yield* walk(root, { path, directory, unreadable });
  if (unreadable.length > 0) throw unreadable[0];
}

/** An open directory and its normal path. The walk closes it. */
interface Place {
  readonly path: string;
  readonly directory: OpenDirectory;
  /** The errors of directories that the process may not read. */
  readonly unreadable: unknown[];
}

/** Returns `otherwise`, and notes the error, when the process may not read the directory. */
async function unlessDenied<T>(
  { path, unreadable }: Omit<Place, "directory">,
  otherwise: T,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isDenied(error)) throw error;
    unreadable.push(explainRead(error, path));
    return otherwise;
  }
}

async function* walk(root: DirectoryRoot, place: Place): AsyncIterable<DriverEntry> {
  const { directory, unreadable } = place;
  try {
    const children = await unlessDenied(place, [], async () => readChildren(directory));
    for (let from = 0; from < children.length; from += concurrency) {
      const batch = children.slice(from, from + concurrency);
      const entries = await Promise.all(
        batch.map(async (child) => unlessDenied(place, undefined, async () => describe(root, place, child))),
      );
      for (const [index, child] of batch.entries()) {
        const entry = entries[index];
        if (child.isDirectory()) {
          const own = { path: pathIn(place, child), unreadable };
          const below = await unlessDenied(own, undefined, async () =>
            root.enterChild(directory, child.name),
          );
          if (below) yield* walk(root, { ...own, directory: below });
        } else if (entry) yield entry;
      }
    }
  } finally {
    directory.close();
  }
}

function pathIn({ path }: Pick<Place, "path">, { name }: Dirent): string {
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
    if (FileError.isInstance(error) || isDenied(error)) return undefined;
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
    const children = await opendir(directory.at("."), { bufferSize: page }).catch((error: unknown) => {
      ignoreAbsent(explainRead(error, path));
    });
    for await (const child of children ?? []) {
      if (!isPathName(child.name)) continue;
      const own = pathIn({ path }, child);
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
    if (!FileError.isInstance(error) || isUnreadable(error)) throw error;
  }
}
