import { CheckpointError } from "../../checkpoint-error.js";
import type { Client } from "./postgres-pool.js";

/**
 * The version of what this package writes. Version 1 had the same tables, and checkpoints and writes in a form that is still
 * read, where it stands.
 */
export const postgresVersion = 2;

const tables = `
  CREATE TABLE palimpsest_threads (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT COLLATE "C" UNIQUE, successor BIGINT);
  CREATE INDEX ON palimpsest_threads (successor) WHERE successor IS NOT NULL;
  CREATE TABLE palimpsest_blobs (
    thread BIGINT NOT NULL, digest BYTEA NOT NULL, data BYTEA NOT NULL, PRIMARY KEY (thread, digest)
  );
  CREATE TABLE palimpsest_files (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, path TEXT COLLATE "C" NOT NULL UNIQUE,
    size BIGINT NOT NULL, modified TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()
  );
  CREATE TABLE palimpsest_chunks (
    file BIGINT NOT NULL REFERENCES palimpsest_files ON DELETE CASCADE, number INT NOT NULL, data BYTEA NOT NULL,
    PRIMARY KEY (file, number)
  );
  ALTER TABLE palimpsest_blobs ALTER COLUMN data SET STORAGE EXTERNAL;
  ALTER TABLE palimpsest_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
`;

/** Makes what is missing of our tables. Call it inside a transaction that holds the lock. Throws "newer-version". */
export async function migratePostgres(client: Client): Promise<void> {
  await client.query("CREATE TABLE IF NOT EXISTS palimpsest_version (version INT NOT NULL)");
  const { rows } = await client.query("SELECT max(version) AS version FROM palimpsest_version");
  const version = Number(rows[0]?.["version"] ?? 0);
  if (version === 0) await client.query(tables);
  if (version < postgresVersion)
    await client.query("INSERT INTO palimpsest_version (version) VALUES ($1)", [postgresVersion]);
  if (version <= postgresVersion) return;
  throw new CheckpointError(
    "newer-version",
    `The database has version ${version} and this package knows ${postgresVersion}. Update @palimpsest/checkpoint.`,
  );
}
