import { randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { posix } from "node:path";
import { errorCode } from "../errors.js";
import { ignoreAbsent, type DirectoryRoot, type OpenDirectory } from "./directory-root.js";
import { temporaryName } from "./reserved-names.js";

const attempts = 5;

export interface WriteAtomicallyOptions {
  readonly bytes: Uint8Array;
  /** Leaves an existing file as it is. */
  readonly ifAbsent: boolean;
}

/**
 * Returns true when the bytes are at the path, and false when `ifAbsent` found a file there.
 * Writes a temporary file next to the target and then renames it, which is atomic. Where the root is durable, syncs the file,
 * then its directory and the directories above that this process has created. Creates the directory, and creates it
 * again when a parallel delete removes it, empty, between its creation and its use.
 */
export async function writeAtomically(
  root: DirectoryRoot,
  path: string,
  options: WriteAtomicallyOptions,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      const directory = await root.make(posix.dirname(path));
      let written: boolean;
      try {
        written = await writeInto(directory, posix.basename(path), { ...options, isDurable: root.isDurable });
      } finally {
        directory.close();
      }
      // Also where a file was: the call that wrote it may not have synced its name yet.
      if (root.isDurable) await root.syncUp(posix.dirname(path));
      return written;
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || attempt === attempts) throw error;
    }
  }
}

async function writeInto(
  directory: OpenDirectory,
  name: string,
  { bytes, ifAbsent, isDurable }: WriteAtomicallyOptions & Pick<DirectoryRoot, "isDurable">,
): Promise<boolean> {
  if (ifAbsent && lstatSync(directory.at(name), { throwIfNoEntry: false })) return false;
  const temporary = directory.at(temporaryName(randomUUID()));
  let renamed = false;
  try {
    await writeNew(temporary, bytes, isDurable);
    if (ifAbsent) return claim(temporary, directory.at(name));
    renameSync(temporary, directory.at(name));
    renamed = true;
    return true;
  } finally {
    if (!renamed) rmSync(temporary, { force: true });
  }
}

/** Bytes that the disk cache takes in less time than an asynchronous call waits. */
export const maxAtOnce = 1_000_000;

async function writeNew(location: string, bytes: Uint8Array, isDurable: boolean): Promise<void> {
  const handle = await open(location, "wx");
  try {
    if (bytes.length <= maxAtOnce) writeFileSync(handle.fd, bytes);
    else await handle.writeFile(bytes);
    if (isDurable) await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Codes of file systems without hard links. */
const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Gives a file a second name, and returns true, for exactly one of all processes that claim that name. */
export function claim(temporary: string, location: string): boolean {
  try {
    linkSync(temporary, location);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!linkless.has(errorCode(error) ?? "")) throw error;
  }
  try {
    copyFileSync(temporary, location, constants.COPYFILE_EXCL);
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
export function deleteUnchanged(directory: OpenDirectory, name: string, ifWrittenBy: string): boolean {
  const [location, aside] = [directory.at(name), directory.at(temporaryName(randomUUID()))];
  try {
    renameSync(location, aside);
  } catch (error) {
    ignoreAbsent(error);
    return false;
  }
  const isOld = lstatSync(aside).mtime.toISOString() <= ifWrittenBy;
  if (!isOld) claim(aside, location);
  rmSync(aside, { force: true });
  return isOld;
}
