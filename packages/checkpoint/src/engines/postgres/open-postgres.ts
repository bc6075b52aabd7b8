import { Postgres, wrongPostgres } from "@palimpsest/sql";
import type { PostgresSource } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";
import { checkPostgres, migratePostgres } from "./schema.js";

export interface VfsSaverPostgresOptions {
  /** The most connections of the pool that the saver opens. @default 10 */
  readonly connections?: number;
  /** The schema of the saver's tables, created when it is missing. @default `?schema=` of the url, or the first of the search path */
  readonly schema?: string;
  /**
   * Creates no table and refuses every write, before it reaches the server: for a replica, an inspector or a search. Throws a
   * CheckpointError "not-found" for a database without threads. @default false
   */
  readonly readOnly?: boolean;
}

/** Milliseconds to wait for a free connection. Long, because a busy pool is no failure. */
const connectionTimeout = 30_000;

/**
 * Opens a pool of connections, or uses the given one, and creates the tables that are missing. Throws a CheckpointError
 * "bad-option", "missing-package", "newer-version", "older-version", "busy", "denied", "read-only", "not-found", or
 * "not-a-database" for a database that does not exist.
 */
export async function openPostgres(
  source: PostgresSource,
  options: VfsSaverPostgresOptions = {},
): Promise<Postgres> {
  const wrong = wrongPostgres(source, options);
  if (wrong !== undefined) throw new CheckpointError("bad-option", wrong);
  const { connections = 10, schema, readOnly = false } = options;
  const postgres = await Postgres.open(source, {
    connections,
    schema,
    connectionTimeout,
    isDurable: true,
    isReadOnly: readOnly,
    createError: (failure, message, cause) => new CheckpointError(failure, message, { cause }),
  });
  try {
    await (readOnly ? checkPostgres(postgres) : migratePostgres(postgres));
  } catch (error) {
    await postgres.close();
    throw error;
  }
  return postgres;
}
