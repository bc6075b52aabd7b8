import { FileError } from "./file-error.js";
import { hashText } from "./hash-text.js";
import { showValue } from "./show-value.js";

const plain = /^[a-z0-9_][a-z0-9_-]{0,79}$/;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const readableLength = 40;
const hashLength = 40;

/**
 * Returns the directory name of a thread. Pure and injective: no two ids share one, also where file names ignore case.
 * Plain lower-case ids stay as they are; others become `readable.hash`, and a plain id never holds a dot.
 * Throws a FileError "invalid-path" for an id that is empty or not a string.
 */
export function encodeScope(threadId: string): string {
  if (typeof threadId !== "string" || threadId === "") {
    throw new FileError(
      "invalid-path",
      `${showValue(threadId)} is not a thread id. Pass the run's configurable.thread_id, a non-empty string.`,
    );
  }
  if (plain.test(threadId) && !reserved.test(threadId)) return threadId;
  const readable = threadId.slice(0, readableLength).replace(/[^A-Za-z0-9_-]+/g, "_");
  return `${readable.toLowerCase()}.${hashText(threadId, hashLength)}`;
}
