import { randomUUID } from "node:crypto";
import { link, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "./error-code.js";
import { temporaryName } from "./temporary-name.js";

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
