import type { FileDriver } from "./file-driver.js";
import { FileError } from "./file-error.js";
import { hasFilesBelow } from "./has-files-below.js";
import { lockPath } from "./lock-path.js";
import { normalizeFilePath } from "./normalize-file-path.js";

/**
 * Returns the path of the written file. Throws a FileError "is-directory" or "not-directory" where the path, or one above
 * it, is taken: engines without directories would store both, and then hold what no directory on disk can.
 */
export async function writeFile(driver: FileDriver, path: string, bytes: Uint8Array): Promise<string> {
  const normal = normalizeFilePath(path);
  return lockPath(driver, normal, async () => {
    if ((await driver.stat(normal)) === undefined) await checkFree(driver, normal);
    await driver.write(normal, bytes);
    return normal;
  });
}

async function checkFree(driver: FileDriver, path: string): Promise<void> {
  if (await hasFilesBelow(driver, path)) {
    throw new FileError("is-directory", `${path} is a directory. Write to a file below it.`);
  }
  const above = path.split("/").slice(1, -1);
  const parents = above.map((_, index) => `/${above.slice(0, index + 1).join("/")}`);
  const found = await Promise.all(parents.map(async (parent) => driver.stat(parent)));
  const file = found.find((entry) => entry !== undefined);
  if (file) {
    throw new FileError(
      "not-directory",
      `${path} lies below the file ${file.path}. Choose a directory for it.`,
    );
  }
}
