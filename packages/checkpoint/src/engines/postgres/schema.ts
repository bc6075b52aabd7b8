import type { Postgres, PostgresClient } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";

/**
 * The version of the tables that this package writes. Versions 1 and 2, which no release wrote, kept checkpoints in the
 * tables of LangGraph's PostgresSaver.
 */
const postgresVersion = 3;

/** "PMPS": the advisory lock that is held while tables are created, so that processes that start together do not collide. */
const schemaLock = 0x50_4d_50_53;

/**
 * A thread's row is its lock: a commit takes it shared, `prune` and `deleteThread` take it exclusively. `epoch` changes
 * whenever blobs of the thread may have been deleted. In the row with the empty name, which no thread has, it is the version.
 *
 * `kind` is "c" for a checkpoint, "w" for the writes of a task, "b" for a blob, whose `id` is its digest.
 *
 * No statistics are kept of contents: Postgres would copy samples of them, which an erasure does not reach.
 *
 * There are few tables because each costs up to 64 KB in pages that are nearly empty, as much as 60 messages. `name` is added
 * with storage PLAIN in one statement so that Postgres creates no TOAST table for it.
 */
const tables = `
  CREATE TABLE palimpsest_threads (id BIGINT GENERATED ALWAYS AS IDENTITY, epoch BIGINT NOT NULL);
  ALTER TABLE palimpsest_threads
    ADD name TEXT COLLATE "C" NOT NULL PRIMARY KEY, ALTER name SET STORAGE PLAIN;
  CREATE TABLE palimpsest_entries (
    thread BIGINT NOT NULL, kind "char" NOT NULL, namespace TEXT COLLATE "C" NOT NULL, id BYTEA NOT NULL,
    task BYTEA NOT NULL, parent BYTEA, data BYTEA NOT NULL, PRIMARY KEY (thread, kind, namespace, id, task)
  );
  ALTER TABLE palimpsest_entries ALTER COLUMN data SET STORAGE EXTERNAL, ALTER COLUMN data SET STATISTICS 0;
`;

/** Created with the first file. */
const fileTables = `
  CREATE TABLE IF NOT EXISTS palimpsest_files (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path TEXT COLLATE "C" NOT NULL UNIQUE,
    size BIGINT NOT NULL, modified TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
  );
  CREATE TABLE IF NOT EXISTS palimpsest_chunks (
    file BIGINT NOT NULL REFERENCES palimpsest_files ON DELETE CASCADE, number INT NOT NULL, data BYTEA NOT NULL,
    PRIMARY KEY (file, number)
  );
  ALTER TABLE palimpsest_chunks ALTER COLUMN data SET STORAGE EXTERNAL, ALTER COLUMN data SET STATISTICS 0;
`;

/** Creates the tables in a database that has none. Throws a CheckpointError "newer-version" or "older-version". */
export async function migratePostgres(postgres: Postgres): Promise<void> {
  await withSchemaLock(postgres, async (client) => {
    const version = await versionOf(client, (table) => postgres.qualified(table));
    if (version !== undefined) return check(version);
    await postgres.createSchema(client);
    await client.query(tables);
    await client.query("INSERT INTO palimpsest_threads (name, epoch) VALUES ('', $1)", [postgresVersion]);
  });
}

/** Throws a CheckpointError "not-found" for a database without our tables, "newer-version" or "older-version". */
export async function checkPostgres(postgres: Postgres): Promise<void> {
  const version = await versionOf(postgres, (table) => postgres.qualified(table));
  if (version !== undefined) return check(version);
  throw new CheckpointError(
    "not-found",
    "The database holds no threads of Palimpsest. Check its name, and the schema if the threads are in one.",
  );
}

/** Creates missing tables of the filesystem. */
export async function createFileTables(postgres: Postgres): Promise<void> {
  await withSchemaLock(postgres, async (client) => {
    await client.query(fileTables);
  });
}

/** Returns undefined for a database without our tables. */
async function versionOf(
  client: PostgresClient,
  qualified: (table: string) => string,
): Promise<number | undefined> {
  const exists = async (table: string): Promise<boolean> => {
    const sql = "SELECT to_regclass($1) IS NOT NULL AS exists";
    return (await client.query(sql, [qualified(table)])).rows[0]?.["exists"] === true;
  };
  // The pre-releases had a table for it.
  if (await exists("palimpsest_version")) return 2;
  if (!(await exists("palimpsest_threads"))) return undefined;
  const { rows } = await client.query("SELECT epoch FROM palimpsest_threads WHERE name = ''");
  return Number(rows[0]?.["epoch"]);
}

async function withSchemaLock(
  postgres: Postgres,
  work: (client: PostgresClient) => Promise<void>,
): Promise<void> {
  await postgres.transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [schemaLock]);
    await work(client);
  });
}

function check(version: number): void {
  if (version === postgresVersion) return;
  if (version > postgresVersion) {
    throw new CheckpointError(
      "newer-version",
      `The database has version ${version} and this package knows ${postgresVersion}. Update @palimpsest/checkpoint.`,
    );
  }
  throw new CheckpointError(
    "older-version",
    `The database has version ${version}, which a pre-release wrote and this package does not read. Use another database, ` +
      "or copy the threads that you need with the build that wrote them.",
  );
}
