import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { posix } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../errors.js";
import { ignoreAbsent, type DirectoryRoot, type OpenDirectory } from "./directory-root.js";
import { temporaryName } from "./reserved-names.js";
import { syncAt, syncDescriptor } from "./sync-at.js";

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
  try {
    await writeNew(temporary, bytes, isDurable);
    if (!ifAbsent) {
      renameSync(temporary, directory.at(name));
      return true;
    }
    const claimed = claim(temporary, directory.at(name));
    if (claimed === "copied" && isDurable) await syncAt(directory.at(name), constants.O_RDWR);
    return claimed !== undefined;
  } finally {
    discard(temporary);
  }
}

/** Bytes that the disk cache takes in less time than an asynchronous call waits. */
export const maxAtOnce = 1_000_000;

async function writeNew(location: string, bytes: Uint8Array, isDurable: boolean): Promise<void> {
  const descriptor = openSync(location, "wx");
  try {
    if (bytes.length <= maxAtOnce) writeFileSync(descriptor, bytes);
    else await promisify(writeFile)(descriptor, bytes);
    if (isDurable) await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Deletes a temporary file, where there is one. */
export function discard(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch (error) {
    ignoreAbsent(error);
  }
}

/** Codes of file systems without hard links. */
const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * Gives a file a second name, for exactly one of all processes that claim that name; undefined for the others. On a file system
 * without hard links the name has a copy, which is not synced.
 */
export function claim(temporary: string, location: string): "linked" | "copied" | undefined {
  try {
    linkSync(temporary, location);
    return "linked";
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    if (!linkless.has(errorCode(error) ?? "")) throw error;
  }
  try {
    copyFileSync(temporary, location, constants.COPYFILE_EXCL);
    return "copied";
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
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
  discard(aside);
  return isOld;
}
