import { normalizeFilePath, normalizePath } from "../paths.js";
import { pathsOf } from "./file-driver.js";
import type { DriverEntry, FileDriver } from "./file-driver.js";

interface Origin {
  readonly driver: FileDriver;
  readonly path: string;
}

const origins = new WeakMap<FileDriver, Origin>();

/** Returns the driver under all scopes, and what a path of the scope is there. Pure. */
export function originOf(driver: FileDriver, path: string): Origin {
  const origin = origins.get(driver);
  return origin ? originOf(origin.driver, origin.path + path) : { driver, path };
}

/** Returns a driver whose `/` is the directory `root` of another. Paths cannot leave it. */
export function scopeDriver(driver: FileDriver, root: string): FileDriver {
  const base = normalizePath(root);
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

/** The tasks under way, by driver and path. Empty between tasks; shared by all backends over one driver. */
const tails = new WeakMap<FileDriver, Map<string, Promise<unknown>>>();

/**
 * Returns what the task returns, run after every earlier task of this process for the same driver and path.
 * Without it, two edits of one file in one agent step would both start from the same text, and one would be lost.
 */
export async function lockPath<T>(scope: FileDriver, name: string, task: () => Promise<T>): Promise<T> {
  const { driver, path } = originOf(scope, name);
  const queue = tails.get(driver) ?? new Map<string, Promise<unknown>>();
  tails.set(driver, queue);
  const run = (queue.get(path) ?? Promise.resolve()).then(task, task);
  queue.set(path, run);
  try {
    return await run;
  } finally {
    if (queue.get(path) === run) queue.delete(path);
  }
}
