/** The tasks under way, by store and name. Empty between tasks; shared by all drivers over one store. */
const tails = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Returns what the task returns, run after every earlier task of this process for the same store and name. */
export async function inTurn<T>(store: object, name: string, task: () => Promise<T>): Promise<T> {
  const queue = tails.get(store) ?? new Map<string, Promise<unknown>>();
  tails.set(store, queue);
  const run = (queue.get(name) ?? Promise.resolve()).then(task, task);
  queue.set(name, run);
  try {
    return await run;
  } finally {
    if (queue.get(name) === run) queue.delete(name);
  }
}
