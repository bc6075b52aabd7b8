import { CheckpointError } from "../checkpoint-error.js";

/** Runs `work` and adds the name of the thread to an error about damage: a database has many. */
export async function namingThread<T>(threadId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withThread(threadId, error);
  }
}

/** Returns the error, with the name of the thread in its message when it is about damage. Pure. */
export function withThread(threadId: string, error: unknown): unknown {
  if (!CheckpointError.isInstance(error) || error.message.includes(JSON.stringify(threadId))) return error;
  if (error.code !== "corrupt" && error.code !== "missing-blob") return error;
  const message = `The thread ${JSON.stringify(threadId)} cannot be read. ${error.message}`;
  return new CheckpointError(error.code, message, { cause: error });
}

/** Yields the items; what their source throws is thrown as `map` returns it. */
export async function* mapErrors<T>(
  items: AsyncIterable<T>,
  map: (error: unknown) => unknown,
): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw map(error);
  }
}
