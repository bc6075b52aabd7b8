/** What went wrong, for code to branch on. The message is for people and models. */
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
  | "not-held"
  | "missing-key"
  | "invalid-key"
  | "invalid-option"
  | "busy"
  | "unreadable"
  | "unwritable";

export interface FileErrorOptions {
  readonly cause?: unknown;
  /** The file or directory that could not be read. */
  readonly path?: string;
}

const marker: unique symbol = Symbol.for("palimpsest.FileError");

/** The only error class of this package. Its message names the wrong value and the way out. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly [marker] = true;
  readonly code: FileErrorCode;
  /** For "unreadable": the file or directory. */
  readonly path: string | undefined;

  constructor(code: FileErrorCode, message: string, { path, ...options }: FileErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.path = path;
  }

  /** True for a FileError of any copy of this package. */
  static isInstance(value: unknown): value is FileError {
    return typeof value === "object" && value !== null && marker in value;
  }
}

/** Returns the error for a path that does not exist. Pure. */
export function notFound(path: string): FileError {
  return new FileError("not-found", `${path} does not exist. Use ls or glob to see which files there are.`);
}

/** Returns the error for an empty secret. Pure. */
export function emptyKey(name: string, owner: string): FileError {
  return new FileError(
    "invalid-key",
    `The ${name} is empty. Pass a secret of ${owner}, such as 32 random bytes.`,
  );
}

/** Returns true for the error of a file or directory that the process may not read. Pure. */
export function isUnreadable(error: unknown): error is FileError {
  return FileError.isInstance(error) && error.code === "unreadable";
}

const limit = 120;

/** Returns a value as short text for an error message. Never throws. */
export function showValue(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}

/** Returns the code of a system error such as "ENOENT", or undefined. Pure. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * Returns the task's result, or `{ error }` with the message of its error. Throws only if the signal of the task has aborted.
 */
export async function attempt<T extends object>(
  task: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T | { error: string }> {
  try {
    return await task();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { error: explain(error) };
  }
}

function explain(error: unknown): string {
  if (FileError.isInstance(error)) return error.message;
  const reason = error instanceof Error ? error.message : String(error);
  return `The storage failed: ${reason}. Try again; if it fails again, go on without this file.`;
}

/** Why an upload or a download failed, as deepagents' protocol names it. */
export type FileOperationError = "file_not_found" | "permission_denied" | "is_directory" | "invalid_path";

const byCode: Partial<Record<FileErrorCode, FileOperationError>> = {
  "not-found": "file_not_found",
  "is-directory": "is_directory",
  "invalid-path": "invalid_path",
  "not-directory": "invalid_path",
};

/** Returns the protocol's name for an error; "permission_denied" when it has none. Pure. */
export function operationError(error: unknown): FileOperationError {
  const known = FileError.isInstance(error) ? byCode[error.code] : undefined;
  return known ?? "permission_denied";
}
