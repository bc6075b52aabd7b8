import type { Sqlite } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";

/** The version of the tables that this package writes. A file of version 1 has no bundles. */
export const schemaVersion = 2;

/** "PMPS": the application id of our SQLite files. */
const applicationId = 0x50_4d_50_53;

/**
 * `spaces` has a row for each namespace of each thread. The row with the empty namespace is the thread itself: `owners` refers to
 * its id, and `epoch` is the thread's epoch. The row with the empty thread, which no thread has, counts the ids. `users` is the
 * number of threads that own a blob. There are few tables and indexes, because each takes at least one page.
 */
const tables = `
  CREATE TABLE spaces (
    thread TEXT NOT NULL, name TEXT NOT NULL, id INTEGER NOT NULL, epoch INTEGER, PRIMARY KEY (thread, name)
  ) WITHOUT ROWID;
  CREATE TABLE checkpoints (seq INTEGER PRIMARY KEY, space INTEGER NOT NULL, id, parent, data BLOB NOT NULL);
  CREATE UNIQUE INDEX checkpoints_by_id ON checkpoints (space, id);
  CREATE TABLE writes (
    space INTEGER NOT NULL, id, task, data BLOB NOT NULL, PRIMARY KEY (space, id, task)
  ) WITHOUT ROWID;
  CREATE TABLE blobs (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, users INTEGER NOT NULL, data BLOB NOT NULL);
  CREATE UNIQUE INDEX blobs_by_digest ON blobs (digest);
  CREATE TABLE owners (thread INTEGER NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (thread, blob)) WITHOUT ROWID;
`;

/** Created with the first file. The chunks of a file have consecutive ids. */
const fileTables = `
  CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, chunk INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`;

/** Creates the tables of the filesystem where they are missing. */
export function createFileTables(database: Sqlite): void {
  database.exec(fileTables);
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
  database.startLog();
  database.write(() => {
    if (isEmpty(database)) {
      database.exec(tables);
      database.exec(`PRAGMA application_id = ${applicationId}`);
    }
    if (versionOf(database) < schemaVersion) database.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
  check(database);
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
  if (version <= schemaVersion) return;
  throw new CheckpointError(
    "newer-version",
    `${database.path} has version ${version} and this package knows ${schemaVersion}. Update @palimpsest/checkpoint.`,
  );
}
