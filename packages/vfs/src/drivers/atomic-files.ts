import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../errors.js";
import { temporaryName } from "./directory-root.js";

const attempts = 5;

export interface WriteAtomicallyOptions {
  /** Leaves an existing file as it is. */
  readonly ifAbsent: boolean;
  /** True when the directory of the location does not exist yet. */
  readonly makeDirectory: boolean;
}

/**
 * Returns true when the bytes are at the location and synced, and false when `ifAbsent` found a file there.
 * Writes a temporary file next to the target and then renames it, which is atomic.
 */
export async function writeAtomically(
  location: string,
  bytes: Uint8Array,
  { ifAbsent, makeDirectory }: WriteAtomicallyOptions,
): Promise<boolean> {
  const temporary = await writeTemporary(dirname(location), bytes, makeDirectory);
  let renamed = false;
  try {
    if (ifAbsent) return await claim(temporary, location);
    await rename(temporary, location);
    renamed = true;
    return true;
  } finally {
    if (!renamed) await rm(temporary, { force: true });
  }
}

/** Creates the directory again when a parallel delete removes it, empty, between its creation and its use. */
async function writeTemporary(directory: string, bytes: Uint8Array, makeDirectory: boolean): Promise<string> {
  const temporary = join(directory, temporaryName(randomUUID()));
  for (let attempt = 1; ; attempt++) {
    try {
      if (makeDirectory || attempt > 1) await mkdir(directory, { recursive: true });
      await writeSynced(temporary, bytes);
      return temporary;
    } catch (error) {
      await rm(temporary, { force: true });
      if (errorCode(error) !== "ENOENT" || attempt === attempts) throw error;
    }
  }
}

async function writeSynced(location: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(location, "wx");
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const linkless = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

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
export async function deleteUnchanged(location: string, ifWrittenBy: string): Promise<boolean> {
  const aside = join(dirname(location), temporaryName(randomUUID()));
  await rename(location, aside);
  const isOld = (await stat(aside)).mtime.toISOString() <= ifWrittenBy;
  if (!isOld) {
    await link(aside, location).catch((error: unknown) => {
      if (errorCode(error) !== "EEXIST") throw error;
    });
  }
  await rm(aside, { force: true });
  return isOld;
}
