import { existsSync, statSync } from "node:fs";
import Database from "libsql";

/** A session in a database: `opencode.db#ses_1`. */
const place = /^(.+)#([^#/\\]+)$/;

type Row = Readonly<Record<string, unknown>>;

/** Returns the database and the id of a session that a path names; undefined for any other path. */
export function databaseSession(path: string): { readonly file: string; readonly id: string } | undefined {
  const [, file, id] = existsSync(path) ? [] : (place.exec(path) ?? []);
  return file === undefined || id === undefined || !isOpencodeDatabase(file) ? undefined : { file, id };
}

/**
 * True for the database in which opencode keeps its sessions since 1.2. Opens the file read-only. A file that cannot be read is left to
 * what reads it then.
 */
export function isOpencodeDatabase(file: string): boolean {
  if (!existsSync(file) || !statSync(file).isFile()) return false;
  try {
    return withDatabase(file, (database) => {
      const tables = rowsOf(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
      const names = new Set(tables.map(({ name }) => name));
      return ["session", "message", "part"].every((name) => names.has(name));
    });
  } catch {
    return false;
  }
}

/** Returns the paths of the sessions in a database, oldest first. */
export function databaseSessions(file: string): readonly string[] {
  return withDatabase(file, (database) =>
    rowsOf(database, "SELECT id FROM session ORDER BY time_created, id").map(
      ({ id }) => `${file}#${String(id)}`,
    ),
  );
}

/** Yields the rows of one session as lines of the format `opencode-storage`: the parts of a message come before it. */
export async function* databaseLines(file: string, id: string): AsyncGenerator<Uint8Array> {
  const database = new Database(file, { readonly: true });
  try {
    const inSession = "WHERE session_id = ? ORDER BY time_created, id";
    for (const message of rowsOf(database, `SELECT id FROM message ${inSession}`, id)) {
      const parts = rowsOf(
        database,
        "SELECT * FROM part WHERE message_id = ? ORDER BY id",
        String(message["id"]),
      );
      for (const row of parts) yield lineOf("part", row);
      for (const row of rowsOf(database, "SELECT * FROM message WHERE id = ?", String(message["id"])))
        yield lineOf("message", row);
    }
    for (const row of rowsOf(database, "SELECT * FROM session WHERE id = ?", id))
      yield lineOf("session", row);
  } finally {
    database.close();
  }
}

function lineOf(table: string, row: Row): Uint8Array {
  return Buffer.from(`${JSON.stringify({ table, row })}\n`);
}

function rowsOf(database: Database.Database, sql: string, ...values: readonly string[]): readonly Row[] {
  return database.prepare(sql).all(values) as readonly Row[];
}

function withDatabase<Found>(file: string, read: (database: Database.Database) => Found): Found {
  const database = new Database(file, { readonly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
}
