/** Why a database failed, for callers to map to their own error codes. */
export type SqlFailure =
  | "busy"
  | "disk-full"
  | "read-only"
  | "denied"
  | "corrupt"
  | "not-a-database"
  | "closed"
  | "missing-package"
  | "bad-option";

/** Returns the error to throw for a failure. The message names the database and the way out. May return the cause itself. */
export type CreateError = (failure: SqlFailure, message: string, cause?: unknown) => unknown;
