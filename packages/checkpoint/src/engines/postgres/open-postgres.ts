import { CheckpointError } from "../../checkpoint-error.js";
import type { Pool } from "./postgres-pool.js";
import { retrying } from "./postgres-pool.js";
import { migratePostgres } from "./schema.js";

export interface VfsSaverPostgresOptions {
  /** The most connections of the saver's pool. @default 10 */
  readonly connections?: number;
}

/**
 * Opens a pool of connections and creates the tables that are missing. Throws a CheckpointError "missing-package",
 * "newer-version", "older-version" or "busy".
 */
export async function openPostgres(
  url: string,
  { connections = 10 }: VfsSaverPostgresOptions = {},
): Promise<Pool> {
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    const message = "Postgres needs the package pg. Run: npm install pg";
    throw new CheckpointError("missing-package", message, { cause });
  });
  const pool = new pg.Pool({ connectionString: url, max: connections });
  // The pool replaces a connection that breaks while it is idle. One that breaks inside a transaction fails its next query;
  // without a listener its error event would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  try {
    await retrying(async () => migratePostgres(pool));
  } catch (error) {
    await pool.end();
    throw error;
  }
  return pool;
}
