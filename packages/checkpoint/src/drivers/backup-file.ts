import { existsSync } from "node:fs";
import { CheckpointError } from "../checkpoint-error.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";

/** Writes a consistent snapshot of a SQLite file to a new file. Throws a CheckpointError "not-found" or "conflict". */
export function backupFile(from: string, to: string): void {
  if (existsSync(to))
    throw new CheckpointError("conflict", `${to} exists. Pass the path of a new file for the copy.`);
  const database = new LibsqlDatabase(from, { readOnly: true });
  try {
    database.copyTo(to);
  } finally {
    database.close();
  }
}
