import { comparePaths, directoryPrefix, normalizePath } from "../paths.js";
import { pathsOf } from "./file-driver.js";
import type { ByteRange, DriverEntry, FileDriver } from "./file-driver.js";

/**
 * Returns a driver that reads these texts, by path, as if the other driver held them already. Writes and deletions go only to
 * the other driver.
 */
export function overlayDriver(driver: FileDriver, texts: ReadonlyMap<string, string>): FileDriver {
  if (texts.size === 0) return driver;
  const modifiedAt = new Date().toISOString();
  const over = new Map([...texts].map(([path, text]) => [normalizePath(path), Buffer.from(text)]));
  function entryAt(path: string): DriverEntry | undefined {
    const normal = normalizePath(path);
    const bytes = over.get(normal);
    return bytes && { path: normal, size: bytes.length, modifiedAt };
  }
  function ownPaths(prefix: string): string[] {
    const below = directoryPrefix(normalizePath(prefix));
    return [...over.keys()].filter((path) => path.startsWith(below)).sort(comparePaths);
  }
  return {
    name: driver.name,
    stat: async (path) => entryAt(path) ?? driver.stat(path),
    async read(path, range?: ByteRange) {
      const bytes = over.get(normalizePath(path));
      if (bytes === undefined) return driver.read(path, range);
      const { start, end } = range ?? { start: 0, end: bytes.length };
      return Uint8Array.from(bytes.subarray(Math.max(0, start), Math.max(0, end)));
    },
    write: async (path, bytes, options) => driver.write(path, bytes, options),
    async *list(prefix) {
      const own = ownPaths(prefix);
      for await (const entry of driver.list(prefix)) {
        while (own[0] !== undefined && comparePaths(own[0], entry.path) < 0) yield* ownEntry(own);
        if (own[0] === entry.path) yield* ownEntry(own);
        else yield entry;
      }
      while (own.length > 0) yield* ownEntry(own);
    },
    async *listPaths(prefix) {
      yield ownPaths(prefix);
      for await (const paths of pathsOf(driver, prefix))
        yield paths.filter((path) => entryAt(path) === undefined);
    },
    delete: async (path, options) => driver.delete(path, options),
  };
  function* ownEntry(own: string[]): Iterable<DriverEntry> {
    const entry = entryAt(own.shift() ?? "/");
    if (entry !== undefined) yield entry;
  }
}
