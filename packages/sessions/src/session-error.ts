/** What was wrong, for code to branch on. The message is for people. */
export type SessionErrorCode = "not-a-session" | "empty";

const marker: unique symbol = Symbol.for("palimpsest.SessionError");

/** The only error class of this package. Its message names the file and says what it would have to hold. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly [marker] = true;
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  /** True for a SessionError of any copy of this package. */
  static isInstance(value: unknown): value is SessionError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
