import { CheckpointError } from "../../checkpoint-error.js";
import type { CheckpointErrorCode } from "../../checkpoint-error.js";

const explanations: readonly (readonly [RegExp, CheckpointErrorCode, string])[] = [
  [
    /BUSY|LOCKED|database is locked/,
    "busy",
    "is held by another writer. Try again, or give a longer busyTimeout",
  ],
  [
    /FULL|disk is full/,
    "disk-full",
    "could not grow: the disk is full. Nothing of this write was kept. Free space and try again",
  ],
  [/NOTADB|not a database/, "not-a-database", "is not a SQLite database. Give another path"],
  [/CORRUPT|malformed/, "corrupt", "is damaged. Restore it from a copy"],
  [
    /CANTOPEN|unable to open/i,
    "not-a-database",
    "cannot be opened. Check that its directory is there and writable",
  ],
];

/** Returns an error that says what to do about a failure of SQLite, or the error itself when it is of another kind. */
export function explainSqlite(error: unknown, path: string): unknown {
  if (CheckpointError.isInstance(error) || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  const text = `${code} ${error.message}`;
  const found = explanations.find(([pattern]) => pattern.test(text));
  if (!found) return error;
  return new CheckpointError(found[1], `${path} ${found[2]}. (${error.message})`, { cause: error });
}
