import { hash, randomUUID } from "node:crypto";
import {
  closeSync,
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
import { syncDescriptor } from "./sync-at.js";

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
      // Sync even if the file existed: the call that wrote it may not have synced its name yet.
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
    return claim(temporary, directory.at(name));
  } finally {
    discard(temporary);
  }
}

/** Number of bytes that a synchronous write to the disk cache takes in less time than an asynchronous call waits. */
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

/** Deletes a temporary file, if there is one. */
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
 * Renames a complete file to an unused name, for exactly one of all processes that claim that name. Returns false for the
 * others.
 */
export function claim(temporary: string, location: string): boolean {
  try {
    linkSync(temporary, location);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!linkless.has(errorCode(error) ?? "")) throw error;
  }
  const mark = markOf(location);
  try {
    if (lstatSync(location, { throwIfNoEntry: false })) return false;
    renameSync(temporary, location);
    return true;
  } finally {
    discard(mark);
  }
}

const markAttempts = 50;

/**
 * Claims a name on a file system without hard links: creates an empty file beside the name and returns its location. Exclusive
 * creation at the name itself would show an incomplete file. A mark that a killed process has left expires.
 */
function markOf(location: string): string {
  const mark = posix.join(posix.dirname(location), temporaryName(hash("sha256", posix.basename(location))));
  for (let attempt = 1; attempt <= markAttempts; attempt++) {
    try {
      closeSync(openSync(mark, "wx"));
      return mark;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
  return mark;
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
