/** What went wrong, for code that reacts to it. The message is for people and models. */
export type FileErrorCode =
  | "invalid-path"
  | "invalid-pattern"
  | "not-found"
  | "exists"
  | "read-only"
  | "is-directory"
  | "not-directory"
  | "corrupt"
  | "not-utf8"
  | "unwritable";

export interface FileErrorOptions {
  readonly cause?: unknown;
}

const marker: unique symbol = Symbol.for("palimpsest.FileError");

/** The one error of this package. Its message names the value that was wrong and the way out. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly [marker] = true;
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, message: string, options: FileErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }

  /** True for a FileError of any copy of this package. */
  static isInstance(value: unknown): value is FileError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
