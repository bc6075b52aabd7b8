import { CheckpointError } from "../checkpoint-error.js";

/** What making and checking the tables needs of a database. */
export interface SqlConnection {
  readonly path: string;
  exec(sql: string): void;
  get(sql: string): Readonly<Record<string, unknown>> | undefined;
  write<T>(work: () => T): T;
}

/** The version of the tables that this package writes. */
export const schemaVersion = 1;

/** "PMPS": a SQLite file of ours. */
const applicationId = 0x50_4d_50_53;

/**
 * `spaces` are the namespaces of threads. The one with the empty name is the thread itself: owners name its id, and its epoch
 * is the thread's. A file's chunks have consecutive ids. There are few tables, because each takes a page of its own.
 */
const tables = `
  CREATE TABLE spaces (id INTEGER PRIMARY KEY, thread TEXT NOT NULL, name TEXT NOT NULL, epoch INTEGER);
  CREATE UNIQUE INDEX spaces_by_name ON spaces (thread, name);
  CREATE TABLE checkpoints (seq INTEGER PRIMARY KEY, space INTEGER NOT NULL, id, parent, data BLOB NOT NULL);
  CREATE UNIQUE INDEX checkpoints_by_id ON checkpoints (space, id);
  CREATE TABLE writes (
    space INTEGER NOT NULL, id, path TEXT NOT NULL, task, data BLOB NOT NULL,
    PRIMARY KEY (space, id, path, task)
  ) WITHOUT ROWID;
  CREATE TABLE blobs (id INTEGER PRIMARY KEY, digest BLOB NOT NULL, data BLOB NOT NULL);
  CREATE UNIQUE INDEX blobs_by_digest ON blobs (digest);
  CREATE TABLE owners (thread INTEGER NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (thread, blob)) WITHOUT ROWID;
  CREATE INDEX owners_by_blob ON owners (blob);
  CREATE TABLE files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, chunk INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE chunks (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`;

/** Makes the tables in an empty file, and checks those of one that is not. Safe when several processes open it at once. */
export function migrate(database: SqlConnection): void {
  const fresh = isEmpty(database);
  if (fresh) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  if (!fresh) check(database);
  database.get("PRAGMA journal_mode = WAL");
  database.write(() => {
    if (!isEmpty(database)) return;
    database.exec(tables);
    database.exec(`PRAGMA application_id = ${applicationId}`);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
  });
  check(database);
}

function isEmpty(database: SqlConnection): boolean {
  return database.get("SELECT count(*) AS tables FROM sqlite_master")?.["tables"] === 0;
}

function check(database: SqlConnection): void {
  if (database.get("PRAGMA application_id")?.["application_id"] !== applicationId) {
    throw new CheckpointError(
      "not-a-database",
      `${database.path} is a database of another application. Give a path of its own.`,
    );
  }
  const version = Number(database.get("PRAGMA user_version")?.["user_version"]);
  if (version <= schemaVersion) return;
  throw new CheckpointError(
    "newer-version",
    `${database.path} has version ${version} and this package knows ${schemaVersion}. Update @palimpsest/checkpoint.`,
  );
}
