import { RecallError } from "../recall-error.js";
import { retrying, type Pool } from "./postgres-pool.js";
import { openTables } from "./tables.js";

export interface PostgresOptions {
  /** The most connections. @default 5 */
  readonly connections?: number;
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
  { connections = 5 }: PostgresOptions = {},
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
