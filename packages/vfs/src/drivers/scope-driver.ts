import { normalizeFilePath, normalizePath } from "../paths.js";
import { pathsOf } from "./file-driver.js";
import type { DriverEntry, FileDriver } from "./file-driver.js";

interface Origin {
  readonly driver: FileDriver;
  readonly path: string;
}

const origins = new WeakMap<FileDriver, Origin>();

/** Returns the driver below all scopes, and the path there of a path of the scope. Pure. */
export function originOf(driver: FileDriver, path: string): Origin {
  const origin = origins.get(driver);
  return origin ? originOf(origin.driver, origin.path + path) : { driver, path };
}

/** Returns a driver whose `/` is the directory `root` of another driver. Its paths cannot leave that directory. */
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

/** The last task in the queue of each driver and path. All backends over one driver share it; it is empty when no task runs. */
const tails = new WeakMap<FileDriver, Map<string, Promise<unknown>>>();

/**
 * Runs a task after every earlier task of this process for the same driver and path, and returns its result.
 * Without the lock, two edits of one file in one agent step would start from the same text, and one would be lost.
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
