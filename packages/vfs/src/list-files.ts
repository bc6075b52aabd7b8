import type { DriverEntry, FileDriver } from "./file-driver.js";
import { normalizePath } from "./normalize-path.js";
import { notFound } from "./not-found.js";

/** Every file below a path, or the file itself. Throws a FileError "not-found" when neither is there; `/` always is. */
export async function* listFiles(driver: FileDriver, path: string): AsyncIterable<DriverEntry> {
  const normal = normalizePath(path);
  const file = normal === "/" ? undefined : await driver.stat(normal);
  if (file) yield file;
  let empty = file === undefined;
  for await (const entry of driver.list(normal)) {
    empty = false;
    yield entry;
  }
  if (empty && normal !== "/") throw notFound(normal);
}
