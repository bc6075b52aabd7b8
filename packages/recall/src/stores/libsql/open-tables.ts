import { Sqlite } from "@palimpsest/sql";
import type { SqlFailure } from "@palimpsest/sql";
import { rmSync } from "node:fs";
import { RecallError } from "../../recall-error.js";
import { claimFile, isMarked, notAnIndex, ownTables } from "./own-file.js";

const version = 8;

const tables = `
  CREATE TABLE IF NOT EXISTS birth(id TEXT NOT NULL);
  INSERT INTO birth VALUES (hex(randomblob(8)));
  CREATE TABLE IF NOT EXISTS thread(no INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
    words INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE IF NOT EXISTS passage(
    id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT NOT NULL,
    step INTEGER, size INTEGER NOT NULL, text TEXT NOT NULL, digest TEXT NOT NULL, UNIQUE(thread, path, line, digest));
  CREATE TABLE IF NOT EXISTS source(thread INTEGER NOT NULL, path TEXT NOT NULL, PRIMARY KEY(thread, path)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS vector(
    model TEXT NOT NULL, digest TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY(model, digest)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS graph(
    model TEXT NOT NULL, thread INTEGER NOT NULL, width INTEGER NOT NULL, size INTEGER NOT NULL,
    PRIMARY KEY(model, thread)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE IF NOT EXISTS lexicon USING fts5(
    words, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 tokenchars '_$./:@-'");
  CREATE VIRTUAL TABLE IF NOT EXISTS frequency USING fts5vocab(lexicon, row);
  PRAGMA user_version = ${version};
`;

/**
 * Opens the file and creates missing tables. Rebuilds a damaged file, or one of an older version, and reports damage to
 * `onBroken`: the archive holds every text.
 *
 * @throws RecallError "newer-version" for a file that a newer version of this package wrote, "not-an-index" for one that is not
 * known to be an index: neither is changed.
 */
export function openTables(path: string, onBroken?: (error: unknown) => void): Sqlite {
  try {
    return open(path);
  } catch (error) {
    if (path === ":memory:" || !isBroken(error)) throw error;
    if (!isMarked(path)) throw notAnIndex(path, error);
    remove(path);
    onBroken?.(error);
    return open(path);
  }
}

/** Opens the file again after a damaged read. Rebuilds it unless another process has done so. */
export function reopenTables(path: string): Sqlite {
  const database = openTables(path);
  if (isWhole(database)) return database;
  database.close();
  return rebuildTables(path);
}

/** Opens a new file in place of a damaged one. */
export function rebuildTables(path: string): Sqlite {
  remove(path);
  return open(path);
}

/** Returns true for an error that says that the file is damaged or not a database. */
export function isBroken(error: unknown): boolean {
  // Its message holds the path, which may hold any word.
  if (RecallError.isInstance(error)) return false;
  const { code } = error as { code?: unknown };
  return (
    /^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/.test(String(code)) ||
    /malformed|no such column/.test(String(error))
  );
}

function open(path: string): Sqlite {
  const database = new Sqlite(path, {
    busyTimeout: 30_000,
    createError: explained,
  });
  try {
    claimFile(database);
    database.startLog();
    database.exec("PRAGMA synchronous = NORMAL");
    if (versionOf(database) !== version) database.write(() => create(database, path));
    database.get("SELECT rowid FROM lexicon WHERE lexicon MATCH ?", "nothing");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns the cause itself for damage, which is not reported to callers: it is repaired. */
function explained(failure: SqlFailure, message: string, cause?: unknown): unknown {
  if (failure === "corrupt" || (cause !== undefined && isBroken(cause))) return cause ?? new Error(message);
  const code = failure === "not-a-database" ? "bad-option" : failure;
  return new RecallError(code, message, { cause });
}

/** Reads the version again inside the transaction, because another process may have created the tables first. */
function create(database: Sqlite, path: string): void {
  const found = versionOf(database);
  if (found > version) throw newer(path, found);
  // The archive fills the tables of this version.
  if (found > 0 && found < version)
    for (const name of ownTables) database.exec(`DROP TABLE IF EXISTS ${name}`);
  if (found !== version) database.exec(tables);
}

function versionOf(database: Sqlite): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"]);
}

function isWhole(database: Sqlite): boolean {
  try {
    const pages = database.get("PRAGMA quick_check(1)");
    database.exec("INSERT INTO lexicon(lexicon) VALUES ('integrity-check')");
    return pages?.["quick_check"] === "ok";
  } catch {
    return false;
  }
}

function remove(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

function newer(path: string, found: number): RecallError {
  return new RecallError(
    "newer-version",
    `${path} has index version ${found}; this package supports ${version}. Update the package, or give another path.`,
  );
}
