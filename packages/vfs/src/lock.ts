/** The last task in the queue of each owner and name. Empty when no task runs. */
const tails = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Runs a task after every earlier task of this process for the same owner and name, and returns its result. An error of a task
 * reaches only its own caller.
 */
export async function withLock<T>(owner: object, name: string, task: () => Promise<T>): Promise<T> {
  const queue = tails.get(owner) ?? new Map<string, Promise<unknown>>();
  tails.set(owner, queue);
  const run = (queue.get(name) ?? Promise.resolve()).then(task, task);
  queue.set(name, run);
  try {
    return await run;
  } finally {
    if (queue.get(name) === run) queue.delete(name);
  }
}
