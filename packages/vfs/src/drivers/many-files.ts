import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, renameSync, writeFileSync } from "node:fs";
import { posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorCode } from "../errors.js";
import { claim, discard, maxAtOnce, writeAtomically } from "./atomic-files.js";
import { ignoreAbsent, type DirectoryRoot, type OpenDirectory } from "./directory-root.js";
import type { DriverFile } from "./file-driver.js";
import { readAtOnce } from "./read-open-file.js";
import { temporaryName } from "./reserved-names.js";
import { isDenied } from "./system-errors.js";
import { syncAt } from "./sync-at.js";

/** Absent on Windows, where a bitwise or counts them as 0. */
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/**
 * Milliseconds for which synchronous calls may hold the event loop. For a small file, an asynchronous call costs the event loop
 * more time than a synchronous one.
 */
const sliceMs = 8;

/** Returns a function that lets other work run when the slice is over. */
function slices(): () => Promise<void> {
  let end = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < end) return;
    await nextTurn();
    end = performance.now() + sliceMs;
  };
}

/** Returns the positions of the paths by their directory. Pure. */
function byDirectory(paths: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const [index, path] of paths.entries()) {
    const group = groups.get(posix.dirname(path));
    if (group) group.push(index);
    else groups.set(posix.dirname(path), [index]);
  }
  return groups;
}

/** Writes each file atomically, unsynced. An existing file stays, unless `replaces`. */
export async function placeFiles(
  root: DirectoryRoot,
  files: readonly DriverFile[],
  { replaces }: { readonly replaces: boolean },
): Promise<void> {
  const pause = slices();
  for (const [path, group] of byDirectory(files.map((file) => file.path))) {
    const directory = await root.make(path);
    try {
      for (const file of group.map((index) => files[index])) {
        if (file !== undefined) await placeFile(root, directory, { ...file, replaces });
        await pause();
      }
    } finally {
      directory.close();
    }
  }
}

async function placeFile(
  root: DirectoryRoot,
  directory: OpenDirectory,
  { path, bytes, replaces }: DriverFile & { readonly replaces: boolean },
): Promise<void> {
  const temporary = directory.at(temporaryName(randomUUID()));
  const location = directory.at(posix.basename(path));
  try {
    try {
      writeFileSync(temporary, bytes, { flag: "wx" });
      if (replaces) renameSync(temporary, location);
      else claim(temporary, location);
    } finally {
      discard(temporary);
    }
  } catch (error) {
    // A parallel delete has removed the directory, empty, since it was opened.
    if (errorCode(error) !== "ENOENT") throw error;
    await writeAtomically(root, path, { bytes, ifAbsent: !replaces });
  }
}

/**
 * Maximum concurrent syncs: the disk does several in little more time than one. Less than the number of Node's threads for all
 * calls.
 */
const concurrency = 3;

/** Syncs the files that exist, their directories and those above. */
export async function syncFiles(root: DirectoryRoot, paths: readonly string[]): Promise<void> {
  const directories = new Set<string>();
  for (const [path, group] of byDirectory(paths)) {
    const directory = await root.enter(path);
    const left = group.values();
    const syncRest = async (): Promise<void> => {
      for (const index of left)
        if (directory) await syncFile(directory.at(posix.basename(paths[index] ?? "")));
    };
    try {
      await Promise.all(Array.from({ length: concurrency }, syncRest));
    } finally {
      directory?.close();
    }
    for (let above = path; above !== "/"; above = posix.dirname(above)) directories.add(above);
  }
  for (const path of [...directories].sort((a, b) => b.length - a.length)) await root.sync(path);
  await root.sync("/");
}

async function syncFile(location: string): Promise<void> {
  await syncAt(location, O_RDWR | O_NOFOLLOW).catch(ignoreAbsent);
}

/**
 * Returns the bytes of each file in order; undefined for a path that is not a file, or is larger than `maxAtOnce`. Follows no
 * link.
 */
export async function readFiles(
  root: DirectoryRoot,
  paths: readonly string[],
): Promise<(Uint8Array | undefined)[]> {
  const found: (Uint8Array | undefined)[] = paths.map(() => undefined);
  const pause = slices();
  for (const [path, group] of byDirectory(paths)) {
    const directory = await root.enter(path);
    if (!directory) continue;
    try {
      for (const index of group) {
        found[index] = readFile(directory.at(posix.basename(paths[index] ?? "")));
        await pause();
      }
    } finally {
      directory.close();
    }
  }
  return found;
}

function readFile(location: string): Uint8Array | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(location, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // The caller reads it on its own, which gives an error with its path.
    return errorCode(error) === "ELOOP" || isDenied(error) ? undefined : ignoreAbsent(error);
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > maxAtOnce) return undefined;
    return readAtOnce(descriptor, 0, stats.size);
  } finally {
    closeSync(descriptor);
  }
}
