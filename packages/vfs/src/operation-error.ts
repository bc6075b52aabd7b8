import type { FileOperationError } from "./backend.js";
import { FileError } from "./file-error.js";
import type { FileErrorCode } from "./file-error.js";

const byCode: Partial<Record<FileErrorCode, FileOperationError>> = {
  "not-found": "file_not_found",
  "is-directory": "is_directory",
  "invalid-path": "invalid_path",
  "not-directory": "invalid_path",
};

/** Returns the transfer error that stands for an error; "permission_denied" for all that has no name of its own. Pure. */
export function operationError(error: unknown): FileOperationError {
  const known = FileError.isInstance(error) ? byCode[error.code] : undefined;
  return known ?? "permission_denied";
}
