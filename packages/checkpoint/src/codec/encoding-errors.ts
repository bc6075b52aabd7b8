import { CheckpointError } from "../checkpoint-error.js";

/** Returns the error for a value that the engine of JavaScript cannot encode, with the way out; another error as it is. Pure. */
export function explainEncoding(error: unknown): unknown {
  if (isStackOverflow(error)) return tooDeep(error);
  return isOverlong(error) ? tooLong(error) : error;
}

function isStackOverflow(error: unknown): error is RangeError {
  return error instanceof RangeError && error.message.includes("call stack");
}

function tooDeep(cause: RangeError): CheckpointError {
  return new CheckpointError(
    "unsupported",
    "A value of the state is nested too deeply to be stored. Flatten it, or start node with a larger --stack-size.",
    { cause },
  );
}

/** True for the error of a text that is longer than the engine of JavaScript allows. */
function isOverlong(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === "Invalid string length" || Reflect.get(error, "code") === "ERR_STRING_TOO_LONG";
}

/** Returns the error for a text that could not be read back. Pure. */
export function tooLong(cause?: unknown): CheckpointError {
  return new CheckpointError(
    "unsupported",
    "A text or a message of the state has more than 512 MB, which is more than can be read back. Nothing of this write was kept. Put the " +
      "content into a file of the workspace, and its path into the state.",
    { cause },
  );
}
