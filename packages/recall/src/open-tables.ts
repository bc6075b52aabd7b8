import Database from "libsql";
import { rmSync } from "node:fs";
import { RecallError } from "./recall-error.js";

const version = 1;

const tables = `
  CREATE TABLE IF NOT EXISTS passage(
    id INTEGER PRIMARY KEY, thread TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL,
    step INTEGER, text TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE(thread, path, line, digest));
  CREATE INDEX IF NOT EXISTS passage_digest ON passage(digest);
  CREATE TABLE IF NOT EXISTS source(thread TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY(thread, path)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS vector(
    model TEXT NOT NULL, digest TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY(model, digest)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE IF NOT EXISTS lexicon USING fts5(
    scope, words, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 tokenchars '_$./:@-'");
  CREATE VIRTUAL TABLE IF NOT EXISTS frequency USING fts5vocab(lexicon, row);
  PRAGMA user_version = ${version};
`;

/**
 * Returns the open file with its tables. The index only repeats what is kept elsewhere, so a broken file is made anew.
 *
 * @throws RecallError "newer-version" for a file that a newer version of this package wrote.
 */
export function openTables(path: string): Database.Database {
  try {
    return open(path);
  } catch (error) {
    if (RecallError.isInstance(error) || path === ":memory:" || !isBroken(error)) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return open(path);
  }
}

function open(path: string): Database.Database {
  const database = new Database(path);
  try {
    database.exec("PRAGMA busy_timeout = 30000");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    const { user_version: found } = database.prepare("PRAGMA user_version").get([]) as {
      user_version: number;
    };
    if (found > version) throw newer(path, found);
    database.exec(tables);
    database.prepare("SELECT rowid FROM lexicon WHERE lexicon MATCH ?").get(["nothing"]);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isBroken(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    /^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/.test(String(code)) ||
    /malformed|no such column/.test(String(error))
  );
}

function newer(path: string, found: number): RecallError {
  return new RecallError(
    "newer-version",
    `${path} is an index of version ${found}; this package knows ${version}. Update it, or give another path.`,
  );
}
