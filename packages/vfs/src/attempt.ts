import { FileError } from "./file-error.js";

/** Returns what the task returns, or `{ error }` with the message of what it threw. Never throws. */
export async function attempt<T extends object>(task: () => Promise<T>): Promise<T | { error: string }> {
  try {
    return await task();
  } catch (error) {
    return { error: explain(error) };
  }
}

function explain(error: unknown): string {
  if (FileError.isInstance(error)) return error.message;
  const reason = error instanceof Error ? error.message : String(error);
  return `The storage failed: ${reason}. Try again; if it fails again, go on without this file.`;
}
