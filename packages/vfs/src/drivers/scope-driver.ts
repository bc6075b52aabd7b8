import { withLock } from "../lock.js";
import { normalizeFilePath, normalizePath, normalizeRoot } from "../paths.js";
import { pathsOf, readAll, writeAll } from "./file-driver.js";
import type { DriverEntry, FileDriver } from "./file-driver.js";

interface Origin {
  readonly driver: FileDriver;
  readonly path: string;
}

const origins = new WeakMap<FileDriver, Origin>();

/** Makes locks of paths in `driver` those of `stored`, for a driver with the same paths over it. */
export function shareLocks(driver: FileDriver, stored: FileDriver): void {
  origins.set(driver, { driver: stored, path: "" });
}

/** Returns the driver below all scopes, and the path there of a path of the scope. Pure. */
function originOf(driver: FileDriver, path: string): Origin {
  const origin = origins.get(driver);
  return origin ? originOf(origin.driver, origin.path + path) : { driver, path };
}

/**
 * Returns a driver whose `/` is the directory `root` of another driver. Its paths cannot leave that directory.
 * Throws a FileError "invalid-path" for a root with the name `.` or `..`.
 */
export function scopeDriver(driver: FileDriver, root: string): FileDriver {
  const base = normalizeRoot(root);
  if (base === "/") return driver;
  const inside = (path: string): string => {
    const normal = normalizePath(path);
    return normal === "/" ? base : base + normal;
  };
  const outside = (entry: DriverEntry): DriverEntry => ({ ...entry, path: entry.path.slice(base.length) });
  const scoped: FileDriver = {
    name: driver.name,
    async stat(path) {
      const entry = await driver.stat(inside(path));
      return entry && outside(entry);
    },
    read: async (path, range) => driver.read(inside(path), range),
    write: async (path, bytes, options) => driver.write(base + normalizeFilePath(path), bytes, options),
    writeAll: async (files) =>
      writeAll(
        driver,
        files.map(({ path, bytes }) => ({ path: base + normalizeFilePath(path), bytes })),
      ),
    readAll: async (paths) => readAll(driver, paths.map(inside)),
    async *list(prefix) {
      for await (const entry of driver.list(inside(prefix))) yield outside(entry);
    },
    async *listPaths(prefix) {
      for await (const paths of pathsOf(driver, inside(prefix))) {
        yield paths.map((path) => path.slice(base.length));
      }
    },
    delete: async (path, options) => driver.delete(inside(path), options),
  };
  origins.set(scoped, { driver, path: base });
  return scoped;
}

/**
 * Runs a task under the lock of a path, which all scopes and backends over one driver share.
 * Without it, two edits of one file in one agent step would start from the same text, and one would be lost.
 */
export async function lockPath<T>(scope: FileDriver, name: string, task: () => Promise<T>): Promise<T> {
  const { driver, path } = originOf(scope, name);
  return withLock(driver, path, task);
}
