import { existsSync, statSync } from "node:fs";
import { CheckpointError } from "../checkpoint-error.js";

/** Throws for a missing file, which SQLite would create. */
export function checkExists(path: string): void {
  if (existsSync(path)) return;
  throw new CheckpointError(
    "not-found",
    `There is no database at ${path}. Pass the path of a file that exists.`,
  );
}

/** Throws for a log without its file: SQLite would delete it, and with it the newest writes of a file that was moved away. */
export function checkLog(path: string): void {
  const log = `${path}-wal`;
  // In this order: a process that creates a file writes it before its log.
  if (sizeOf(log) === 0 || sizeOf(path) > 0) return;
  throw new CheckpointError(
    "conflict",
    `There is no database at ${path}, but its log ${log} is there: it holds the newest writes of a file that was moved or ` +
      "deleted. Put that file back beside its log, or move the log away.",
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Refuses an empty path, which SQLite treats as a temporary database: with an unset variable, everything would be lost. */
export function checkPath(path: unknown): void {
  // A url may hold a password.
  if (typeof path === "string" && /^postgres(?:ql)?:\/\//.test(path))
    throw new CheckpointError(
      "bad-option",
      "The path of a database is the url of a Postgres database: await VfsSaver.fromPostgres(url).",
    );
  // The driver would connect to a server, on which the tables of this package do not work.
  if (typeof path === "string" && /^(?:libsql|https?|wss?):/i.test(path))
    throw new CheckpointError(
      "bad-option",
      "The path of a database is the url of a server. Pass the path of a file, or await VfsSaver.fromPostgres(url).",
    );
  // SQLite would open what such a url names, and `?mode=memory` would keep nothing.
  if (typeof path === "string" && /^file:/i.test(path))
    throw new CheckpointError(
      "bad-option",
      `The path of a database is the url ${JSON.stringify(path)}. Pass the path of the file, such as "agent.db".`,
    );
  if (typeof path === "string" && path.trim() !== "") return;
  throw new CheckpointError(
    "bad-option",
    `The path of a database is ${JSON.stringify(path)}. Pass the path of a file, or use VfsSaver.inMemory().`,
  );
}
