/** What went wrong, for code to branch on. The message is for people. */
export type RecallErrorCode =
  | "bad-option"
  | "bad-embedding"
  | "newer-version"
  | "not-an-index"
  | "missing-package"
  | "read-only"
  | "denied"
  | "disk-full"
  | "closed"
  | "unsupported"
  | "busy";

const marker: unique symbol = Symbol.for("palimpsest.RecallError");

/** The only error class of this package. Its message names the wrong value and the way out. */
export class RecallError extends Error {
  override readonly name = "RecallError";
  readonly [marker] = true;
  readonly code: RecallErrorCode;

  constructor(code: RecallErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }

  /** True for a RecallError of any copy of this package. */
  static isInstance(value: unknown): value is RecallError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
