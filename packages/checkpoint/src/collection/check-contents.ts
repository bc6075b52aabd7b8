import { FileError, type VirtualFilesystem } from "@palimpsest/vfs";
import type { OnDamage } from "../engine.js";

/** Maximum concurrent reads of workspace files: on Postgres, each waits for the server. */
const contentsAtOnce = 8;

export interface CheckContentsOptions {
  readonly threadId: string;
  readonly onDamage: OnDamage;
}

/**
 * Reads contents of workspace files, each with the newest checkpoint that holds it, and reports the damaged ones. Returns the bytes
 * of the others.
 */
export async function checkContents(
  { blobs }: VirtualFilesystem,
  files: ReadonlyMap<string, string>,
  { threadId, onDamage }: CheckContentsOptions,
): Promise<number> {
  let bytes = 0;
  const contents = [...files];
  for (let at = 0; at < contents.length; at += contentsAtOnce) {
    const some = contents.slice(at, at + contentsAtOnce);
    const read = await Promise.allSettled(some.map(async ([digest]) => blobs.stored(digest)));
    for (const [index, [digest, id]] of some.entries()) {
      const one = read[index];
      if (one?.status === "fulfilled") bytes += one.value.length;
      else if (FileError.isInstance(one?.reason)) onDamage({ threadId, id, digest, error: one.reason });
      else throw one?.reason;
    }
  }
  return bytes;
}
