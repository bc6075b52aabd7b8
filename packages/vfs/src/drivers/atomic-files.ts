import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, lstat, open, rename, rm } from "node:fs/promises";
import { posix } from "node:path";
import { errorCode } from "../errors.js";
import { ignoreAbsent, type DirectoryRoot, type OpenDirectory } from "./directory-root.js";
import { temporaryName } from "./reserved-names.js";

const attempts = 5;

export interface WriteAtomicallyOptions {
  readonly bytes: Uint8Array;
  /** Leaves an existing file as it is. */
  readonly ifAbsent: boolean;
  /** Syncs the file, then its directory and the directories above that it creates. */
  readonly isDurable: boolean;
}

/**
 * Returns true when the bytes are at the path, and false when `ifAbsent` found a file there.
 * Writes a temporary file next to the target and then renames it, which is atomic. Creates the directory, and creates it
 * again when a parallel delete removes it, empty, between its creation and its use.
 */
export async function writeAtomically(
  root: DirectoryRoot,
  path: string,
  options: WriteAtomicallyOptions,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const parents: string[] = [];
      const directory = await root.make(posix.dirname(path), parents);
      try {
        if (!(await writeInto(directory, posix.basename(path), options))) return false;
      } finally {
        await directory.close();
      }
      if (options.isDurable)
        for (const parent of [posix.dirname(path), ...parents.toReversed()]) await root.sync(parent);
      return true;
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || attempt === attempts) throw error;
    }
  }
}

async function writeInto(
  directory: OpenDirectory,
  name: string,
  { bytes, ifAbsent, isDurable }: WriteAtomicallyOptions,
): Promise<boolean> {
  if (ifAbsent && (await lstat(directory.at(name)).catch(ignoreAbsent))) return false;
  const temporary = directory.at(temporaryName(randomUUID()));
  let renamed = false;
  try {
    await writeNew(temporary, bytes, isDurable);
    if (ifAbsent) return await claim(temporary, directory.at(name));
    await rename(temporary, directory.at(name));
    renamed = true;
    return true;
  } finally {
    if (!renamed) await rm(temporary, { force: true });
  }
}

async function writeNew(location: string, bytes: Uint8Array, isDurable: boolean): Promise<void> {
  const handle = await open(location, "wx");
  try {
    await handle.writeFile(bytes);
    if (isDurable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Codes of file systems without hard links. */
export const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Returns true for exactly one of all processes that claim a name. */
async function claim(temporary: string, location: string): Promise<boolean> {
  try {
    await link(temporary, location).catch(async (error: unknown) => {
      if (!linkless.has(errorCode(error) ?? "")) throw error;
      await copyFile(temporary, location, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Deletes a file that was last written at or before an ISO 8601 time, and returns true when it did. Moves the file aside
 * before it reads the time, so that a write in between is noticed; a newer file is moved back, unless an even newer one has
 * taken its place.
 */
export async function deleteUnchanged(
  directory: OpenDirectory,
  name: string,
  ifWrittenBy: string,
): Promise<boolean> {
  const [location, aside] = [directory.at(name), directory.at(temporaryName(randomUUID()))];
  await rename(location, aside);
  const isOld = (await lstat(aside)).mtime.toISOString() <= ifWrittenBy;
  if (!isOld) {
    await link(aside, location).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  }
  await rm(aside, { force: true });
  return isOld;
}
