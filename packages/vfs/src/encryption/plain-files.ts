import { hasFilesBelow, type FileDriver } from "../drivers/file-driver.js";
import { threadsDirectory } from "../layout.js";

/** Returns true if the files of any thread were written without encryption. */
export type HasPlainFiles = () => Promise<boolean>;

/** Returns a function that looks once: a storage whose first thread is encrypted takes no further reads. */
export function lookedForOnce(stored: FileDriver): HasPlainFiles {
  let found: Promise<boolean> | undefined;
  return async () => {
    found ??= hasFilesBelow(stored, threadsDirectory);
    // A driver that fails now may answer later.
    return found.catch((error: unknown) => {
      found = undefined;
      throw error;
    });
  };
}
