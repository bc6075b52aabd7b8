import { CheckpointError } from "../checkpoint-error.js";

/** What a value of a thread exceeds. */
export interface SizeLimit {
  readonly threadId: string;
  /** Such as "1 GB". */
  readonly most: string;
  readonly engine: string;
}

/** Returns the error for a value that an engine cannot store. Pure. */
export function tooLarge({ threadId, most, engine }: SizeLimit, cause?: unknown): CheckpointError {
  return new CheckpointError(
    "unsupported",
    `A value of the thread ${JSON.stringify(threadId)} has more than ${most}, which is the most that ${engine} takes. ` +
      "Nothing of this write was kept. Put the content into a file of the workspace, which is stored in parts, and its path into the state.",
    { cause },
  );
}
