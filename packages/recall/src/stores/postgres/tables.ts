import { randomUUID } from "node:crypto";
import { RecallError } from "../../recall-error.js";
import { codeOf, retrying, transaction } from "./postgres-pool.js";
import type { Client, Pool } from "./postgres-pool.js";

const version = 1;

/** "PMPR": held while tables are made, so that processes that start at once do not collide. */
const lock = 0x50_4d_50_52;

/**
 * All that is found by equality is kept by its digest, and all other text as bytes: any text has its place, whatever the
 * encoding of the database. Numbers of threads come from a sequence that stays when the tables go.
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

/** A table or a column is not there, or the engine found that what it keeps is damaged. */
const broken = /^(?:42P01|42703|XX00[12])$/u;

/** Whether an error says that the tables are lost or damaged. */
export function isBroken(error: unknown): boolean {
  return broken.test(codeOf(error)) || /could not open (?:relation|file)/u.test(String(error));
}

/**
 * Returns the name that the tables got when they were made. Makes what is not there; tables of an older version, or of
 * the name `replaced`, are made anew: the archive fills them.
 *
 * @throws RecallError "newer-version" for tables that a newer version of this package made.
 */
export async function openTables(pool: Pool, replaced?: string): Promise<string> {
  return transaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [lock]);
    const found = await birthOf(client);
    if (found !== undefined && found.version > version) throw newer(found.version);
    if (found?.version === version && found.id !== replaced) return found.id;
    for (const name of names) await client.query(`DROP TABLE IF EXISTS palimpsest_recall_${name} CASCADE`);
    await client.query(tables);
    const id = randomUUID();
    await client.query("INSERT INTO palimpsest_recall_birth VALUES ($1, $2)", [version, id]);
    return id;
  });
}

async function birthOf(
  client: Client,
): Promise<{ readonly version: number; readonly id: string } | undefined> {
  const { rows: there } = await client.query("SELECT to_regclass('palimpsest_recall_birth') AS name");
  if (there[0]?.["name"] === null) return undefined;
  const { rows } = await client.query("SELECT version, id FROM palimpsest_recall_birth");
  return rows[0] && { version: Number(rows[0]["version"]), id: String(rows[0]["id"]) };
}

function newer(found: number): RecallError {
  return new RecallError(
    "newer-version",
    `The database has an index of version ${found}; this package knows ${version}. Update it, or give another database.`,
  );
}

/** What is open of a database. */
export interface OpenPostgres {
  readonly pool: Pool;
  /** Names the tables. */
  readonly birth: string;
}

/** Milliseconds that a connection may take to come about. */
const connectionTimeout = 5_000;

/** Opens a database and makes the tables that are missing. Throws a RecallError "missing-package", "newer-version" or "busy". */
export async function openPostgres(
  url: string,
  { connections = 5 }: { readonly connections?: number } = {},
): Promise<OpenPostgres> {
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    throw new RecallError("missing-package", "Postgres needs the package pg. Run: npm install pg", { cause });
  });
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectionTimeout,
  });
  // A connection that breaks while idle is replaced by the next query: nobody has to be told. One that breaks between the
  // queries of a transaction fails the next of them, and would else end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  try {
    return { pool, birth: await retrying(async () => openTables(pool)) };
  } catch (error) {
    await pool.end();
    throw error;
  }
}
