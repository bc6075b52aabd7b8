import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../errors.js";
import { temporaryName } from "./directory-root.js";

const attempts = 5;

export interface WriteAtomicallyOptions {
  /** Leaves a file that is there as it is. */
  readonly ifAbsent: boolean;
  /** The directory of the location is not there yet. */
  readonly makeDirectory: boolean;
}

/**
 * True when the bytes are at the location and synced; false when `ifAbsent` found a file there.
 * The bytes go to a temporary file beside the target, which then takes the target's name in one step.
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

/** A parallel delete may take the emptied directory away between its making and its use: then make it again. */
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

/** Of many processes that claim one name, exactly one gets true. */
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
 * True when the file, last written at or before an ISO 8601 time, is gone. It is moved aside before its time is looked at,
 * so that a write in between is seen: then it is put back, unless a newer one has taken its place already.
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
