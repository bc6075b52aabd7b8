import { randomUUID } from "node:crypto";
import { codeOf, Postgres, wrongPostgres } from "@palimpsest/sql";
import type { PostgresClient, PostgresSource } from "@palimpsest/sql";
import { RecallError } from "../../recall-error.js";

const version = 6;

/** "PMPR": the advisory lock under which a process creates tables, so that parallel starts do not collide. */
const lock = 0x50_4d_50_52;

/**
 * Columns that are compared for equality hold digests, and all other text columns hold bytes, so that any text fits any
 * database encoding. The sequence of thread numbers survives a rebuild of the tables.
 */
const tables = `
  CREATE SEQUENCE IF NOT EXISTS palimpsest_recall_numbers;
  CREATE TABLE palimpsest_recall_birth (version INT NOT NULL, id TEXT NOT NULL);
  CREATE TABLE palimpsest_recall_threads (
    no BIGINT PRIMARY KEY DEFAULT nextval('palimpsest_recall_numbers'), name TEXT NOT NULL UNIQUE,
    last BIGINT NOT NULL DEFAULT 0, passages BIGINT NOT NULL DEFAULT 0, words BIGINT NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE TABLE palimpsest_recall_sources (thread BIGINT NOT NULL, file TEXT NOT NULL, PRIMARY KEY (thread, file));
  CREATE TABLE palimpsest_recall_passages (
    id BIGINT PRIMARY KEY, identity TEXT NOT NULL UNIQUE, path BYTEA NOT NULL, line BIGINT NOT NULL, kind BYTEA NOT NULL,
    step DOUBLE PRECISION, digest TEXT NOT NULL, text BYTEA NOT NULL
  );
  ALTER TABLE palimpsest_recall_passages ALTER COLUMN text SET STATISTICS 0;
  CREATE TABLE palimpsest_recall_words (id BIGINT PRIMARY KEY, size INT NOT NULL, words TSVECTOR NOT NULL)
    WITH (toast_tuple_target = 8160);
  ALTER TABLE palimpsest_recall_words ALTER COLUMN words SET STORAGE EXTERNAL;
  CREATE INDEX ON palimpsest_recall_words USING gin (words) WITH (gin_pending_list_limit = 256);
  CREATE TABLE palimpsest_recall_vectors (
    model TEXT NOT NULL, digest TEXT NOT NULL, value BYTEA NOT NULL, PRIMARY KEY (model, digest)
  );
  CREATE TABLE palimpsest_recall_graphs (
    model TEXT NOT NULL, thread BIGINT NOT NULL, width INT NOT NULL, size INT NOT NULL, PRIMARY KEY (model, thread)
  );
`;
const names = ["birth", "threads", "sources", "passages", "words", "vectors", "graphs"] as const;

/** Codes of a missing table or column, and of damage that the engine detected. */
const broken = /^(?:42P01|42703|XX00[12])$/u;

/** Returns true for an error that says that the tables are lost or damaged. */
export function isBroken(error: unknown): boolean {
  return broken.test(codeOf(error)) || /could not open (?:relation|file)/u.test(String(error));
}

/**
 * Creates missing tables and returns the id of the tables. Rebuilds tables of an older version, or with the id `replaced`;
 * the archive fills them.
 *
 * @throws RecallError "newer-version" for tables that a newer version of this package created.
 */
export async function openTables(postgres: Postgres, replaced?: string): Promise<string> {
  return postgres.transaction(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [lock]);
    const found = await birthOf(client, postgres.qualified("palimpsest_recall_birth"));
    if (found !== undefined && found.version > version) throw newer(found.version);
    if (found?.version === version && found.id !== replaced) return found.id;
    for (const name of names) await client.query(`DROP TABLE IF EXISTS palimpsest_recall_${name} CASCADE`);
    await postgres.createSchema(client);
    await client.query(tables);
    const id = randomUUID();
    await client.query("INSERT INTO palimpsest_recall_birth VALUES ($1, $2)", [version, id]);
    return id;
  });
}

async function birthOf(
  client: PostgresClient,
  table: string,
): Promise<{ readonly version: number; readonly id: string } | undefined> {
  const { rows: there } = await client.query("SELECT to_regclass($1) AS name", [table]);
  if (there[0]?.["name"] === null) return undefined;
  const { rows } = await client.query("SELECT version, id FROM palimpsest_recall_birth");
  return rows[0] && { version: Number(rows[0]["version"]), id: String(rows[0]["id"]) };
}

function newer(found: number): RecallError {
  return new RecallError(
    "newer-version",
    `The database has index version ${found}; this package supports ${version}. Update the package, or give another database.`,
  );
}

/** An open database. */
export interface OpenPostgres {
  readonly postgres: Postgres;
  /** The id of the tables. */
  readonly birth: string;
}

/** Milliseconds to wait for a connection. */
const connectionTimeout = 5_000;

/**
 * Opens a database and creates missing tables. Throws a RecallError "bad-option", "missing-package", "newer-version", "busy",
 * "denied", "read-only", or "not-an-index" for a database that does not exist.
 */
export async function openPostgres(
  source: PostgresSource,
  options: { readonly connections?: number; readonly schema?: string } = {},
): Promise<OpenPostgres> {
  const wrong = wrongPostgres(source, options);
  if (wrong !== undefined) throw new RecallError("bad-option", wrong);
  const { connections = 5, schema } = options;
  const postgres = await Postgres.open(source, {
    connections,
    schema,
    connectionTimeout,
    // The archive fills in again what a crash of the server undoes.
    isDurable: false,
    createError: (failure, message, cause) =>
      failure === "corrupt"
        ? cause
        : new RecallError(failure === "not-a-database" ? "not-an-index" : failure, message, { cause }),
  });
  try {
    return { postgres, birth: await openTables(postgres) };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}
