import type { FileDriver } from "./file-driver.js";
import { originOf } from "./scope-driver.js";

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
