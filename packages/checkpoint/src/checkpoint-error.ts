/** What went wrong, for code to branch on. The message is for people. */
export type CheckpointErrorCode =
  | "bad-option"
  | "corrupt"
  | "missing-blob"
  | "missing-key"
  | "newer-version"
  | "older-version"
  | "not-a-database"
  | "busy"
  | "disk-full"
  | "read-only"
  | "denied"
  | "missing-package"
  | "not-found"
  | "unsupported"
  | "closed"
  | "conflict";

export interface CheckpointErrorOptions {
  readonly cause?: unknown;
}

const marker: unique symbol = Symbol.for("palimpsest.CheckpointError");

/** The only error class of this package. Its message names the wrong value and the way out. */
export class CheckpointError extends Error {
  override readonly name = "CheckpointError";
  readonly [marker] = true;
  readonly code: CheckpointErrorCode;

  constructor(code: CheckpointErrorCode, message: string, options: CheckpointErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }

  /** True for a CheckpointError of any copy of this package. */
  static isInstance(value: unknown): value is CheckpointError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
