import { FileError, showValue } from "./errors.js";
import { encodeScope } from "./names.js";

// The layout of a filesystem on its driver, for every package that lists or repairs one.

/** The directory of the blobs of all threads. */
export const blobsDirectory = "/blobs";

/** The directory in which each thread has its own. */
export const threadsDirectory = "/threads";

/** The directory of encrypted files, with the paths of their contents below it. */
export const encryptedDirectory = "/encrypted";

/** The directory in which each scope of memories has its own, with the names of its threads. */
export const scopesDirectory = "/scopes";

/**
 * Returns the directory of a scope. `key.json` in it holds the name under which an index has its turns, and `threads/` a file for each
 * thread with its id, both as JSON. Throws a FileError "invalid-path" for a scope that is empty or not a string.
 */
export function scopeDirectory(scope: string): string {
  if (typeof scope !== "string" || scope === "")
    throw new FileError(
      "invalid-path",
      `The scope is ${showValue(scope)}. Pass the name of a user or a project.`,
    );
  return `${scopesDirectory}/${encodeScope(scope)}`;
}

/**
 * Returns the path of a blob below the directory of the blobs. Throws a FileError "invalid-path" unless the digest is a SHA-256
 * in lower-case hex.
 */
export function blobPath(digest: string): string {
  if (!/^[0-9a-f]{64}$/.test(digest)) {
    throw new FileError(
      "invalid-path",
      `${showValue(digest)} is not a SHA-256 in lower-case hex. Pass a digest that put returned.`,
    );
  }
  return `/${digest.slice(0, 2)}/${digest}`;
}

/**
 * Returns the directory of a thread, which holds its archive and everything else that is deleted with it.
 * Throws a FileError "invalid-path" for an id that is empty or not a string.
 */
export function threadDirectory(threadId: string): string {
  return `${threadsDirectory}/${encodeScope(threadId)}`;
}
