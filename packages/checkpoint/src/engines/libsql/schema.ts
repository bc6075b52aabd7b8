import type { Sqlite } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";

/** The version of the tables that this package writes. Files of versions 1 and 2, which no release wrote, are refused. */
const schemaVersion = 3;

/** "PMPS": the application id of our SQLite files. */
const applicationId = 0x50_4d_50_53;

/**
 * `spaces` has a row for each namespace of each thread. The row with the empty namespace is the thread itself: `owners` refers to
 * its id, and `epoch` is the thread's epoch. The row with the empty thread, which no thread has, counts the ids. `users` is the
 * number of threads that own a blob. There are few tables and indexes, because each takes at least one page.
 *
 * `newest`, `checkpoints` and `tasks` say which rows must exist; `sum` is a checksum of the columns that do not change.
 */
const tables = `
  CREATE TABLE spaces (
    thread TEXT NOT NULL, name TEXT NOT NULL, id INTEGER NOT NULL, epoch INTEGER, newest, checkpoints INTEGER NOT NULL, sum INTEGER,
    PRIMARY KEY (thread, name)
  ) WITHOUT ROWID;
  CREATE TABLE checkpoints (seq INTEGER PRIMARY KEY, space INTEGER NOT NULL, id, parent, tasks INTEGER NOT NULL, data BLOB NOT NULL);
  CREATE UNIQUE INDEX checkpoints_by_id ON checkpoints (space, id);
  CREATE TABLE writes (
    space INTEGER NOT NULL, id, task, data BLOB NOT NULL, PRIMARY KEY (space, id, task)
  ) WITHOUT ROWID;
  CREATE TABLE blobs (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, users INTEGER NOT NULL, data BLOB NOT NULL);
  CREATE UNIQUE INDEX blobs_by_digest ON blobs (digest);
  CREATE TABLE owners (thread INTEGER NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (thread, blob)) WITHOUT ROWID;
`;

/** Finds the other owners of a blob before it is deleted, because a damaged count could be too low. Older files lack it. */
const ownersIndex = "CREATE INDEX IF NOT EXISTS owners_by_blob ON owners (blob)";

/** Created with the first file. The chunks of a file have consecutive ids. */
const fileTables = `
  CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, chunk INTEGER NOT NULL, sum INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`;

/** Creates missing tables of the filesystem. */
export function createFileTables(database: Sqlite): void {
  database.exec(fileTables);
}

/** Creates the table of bundles, if it is missing. */
export function createBundles(database: Sqlite): void {
  database.exec(`CREATE TABLE IF NOT EXISTS bundles (
    id INTEGER PRIMARY KEY, members INTEGER NOT NULL, users INTEGER NOT NULL, data BLOB NOT NULL
  )`);
}

/** Returns true when the tables of the filesystem exist. */
export function hasFileTables(database: Sqlite): boolean {
  return database.get("SELECT count(*) AS tables FROM sqlite_master WHERE name = 'chunks'")?.["tables"] === 1;
}

/** Creates the tables in an empty file, checks the version of another. Several processes may open a file at the same time. */
export function migrate(database: Sqlite): void {
  const fresh = isEmpty(database);
  if (fresh) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  if (!fresh) check(database);
  if (!startLog(database)) return;
  // Only a file that changes waits for the lock of another writer.
  if (fresh) database.write(() => createTables(database));
  check(database);
  if (!hasIndex(database)) createIndex(database);
}

function hasIndex(database: Sqlite): boolean {
  return (
    database.get("SELECT count(*) AS found FROM sqlite_master WHERE name = 'owners_by_blob'")?.["found"] === 1
  );
}

/** Creates the index, except in a damaged file, which is still readable without it; collections then take longer. */
function createIndex(database: Sqlite): void {
  try {
    database.exec(ownersIndex);
  } catch (error) {
    if (!CheckpointError.isInstance(error) || error.code !== "corrupt") throw error;
  }
}

/** Returns false for a file that can only be read, which has no log. Throws when its tables are not of this version. */
function startLog(database: Sqlite): boolean {
  try {
    database.startLog();
    return true;
  } catch (error) {
    if (!CheckpointError.isInstance(error) || error.code !== "read-only") throw error;
    requireCurrent(database, error);
    return false;
  }
}

/** Throws a CheckpointError unless the file can be read as it is. */
export function checkSchema(database: Sqlite): void {
  if (!isEmpty(database)) check(database);
  requireCurrent(database);
}

function requireCurrent(database: Sqlite, cause?: unknown): void {
  if (!isEmpty(database)) return;
  throw new CheckpointError(
    "older-version",
    `${database.path} has no tables, and cannot be written. Open it once where it can be written.`,
    { cause },
  );
}

/** Does nothing if another process has created the tables first. */
function createTables(database: Sqlite): void {
  if (!isEmpty(database)) return;
  database.exec(tables);
  database.exec(ownersIndex);
  database.exec(`PRAGMA application_id = ${applicationId}`);
  database.exec(`PRAGMA user_version = ${schemaVersion}`);
}

function versionOf(database: Sqlite): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"]);
}

function isEmpty(database: Sqlite): boolean {
  return database.get("SELECT count(*) AS tables FROM sqlite_master")?.["tables"] === 0;
}

function check(database: Sqlite): void {
  if (database.get("PRAGMA application_id")?.["application_id"] !== applicationId) {
    throw new CheckpointError(
      "not-a-database",
      `${database.path} is a database of another application. Pass another path.`,
    );
  }
  const version = versionOf(database);
  if (version === schemaVersion) return;
  if (version < schemaVersion) {
    throw new CheckpointError(
      "older-version",
      `${database.path} has version ${version}, which a pre-release wrote and this package does not read. Use another file, ` +
        "or copy the threads that you need with the build that wrote them.",
    );
  }
  throw new CheckpointError(
    "newer-version",
    `${database.path} has version ${version} and this package knows ${schemaVersion}. Update @palimpsest/checkpoint.`,
  );
}
