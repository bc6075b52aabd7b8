const marker = Symbol.for("palimpsest.ContextError");

export type ContextErrorCode = "bad-option" | "unknown-window" | "unknown-message" | "corrupt" | "not-found";

/** An error of this package. The message names the invalid value and the fix. */
export class ContextError extends Error {
  override readonly name = "ContextError";
  readonly [marker] = true;

  constructor(
    readonly code: ContextErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** True for every ContextError, also for one from another copy of this package. */
  static isInstance(value: unknown): value is ContextError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
