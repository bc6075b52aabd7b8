import type { SqlFailure } from "./sql-failure.js";

const explanations: readonly (readonly [RegExp, SqlFailure, string])[] = [
  [
    /BUSY|LOCKED|database is locked/,
    "busy",
    "is locked by another writer. Try again, or pass a longer busyTimeout",
  ],
  [
    /FULL|disk is full/,
    "disk-full",
    "could not grow: the disk is full. Nothing of this write was kept. Free space and try again",
  ],
  // Every statement names tables and columns of its own: a missing one means that the schema was changed. A file that was cut ends within
  // a page.
  [
    /CORRUPT|malformed|no such (?:table|column)|has no column|SHORT_READ/,
    "corrupt",
    "is damaged. Restore it from a copy",
  ],
  [
    /IOERR|disk I\/O error/,
    "disk-full",
    "could not be read or written: the disk is full or fails, or the process may not write so large a file. Nothing of this write was kept. Free space, check the disk and the limits of the process, and try again",
  ],
  [
    /READONLY|readonly database/,
    "read-only",
    "can be read but not written. Make the file and its directory writable",
  ],
  [/NOTADB|not a database/, "not-a-database", "is not a SQLite database. Give another path"],
  [
    /CANTOPEN|unable to open/i,
    "not-a-database",
    "cannot be opened. Check that it is a file, and that its directory exists and is writable",
  ],
];

/** Returns what kind of failure an error of SQLite is; undefined for another error. */
export function failureOf(error: unknown): SqlFailure | undefined {
  return explanationOf(error)?.[1];
}

/** Returns the pattern, the kind and the text of a failure of SQLite; undefined for another error. */
export function explanationOf(error: unknown): (typeof explanations)[number] | undefined {
  if (!(error instanceof Error)) return undefined;
  const text = `${"code" in error ? String(error.code) : ""} ${error.message}`;
  return explanations.find(([pattern]) => pattern.test(text));
}
