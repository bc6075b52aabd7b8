import { Postgres } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";
import { migratePostgres } from "./schema.js";

export interface VfsSaverPostgresOptions {
  /** The most connections of the saver's pool. @default 10 */
  readonly connections?: number;
}

/** Milliseconds to wait for a free connection. Long, because a busy pool is no failure. */
const connectionTimeout = 30_000;

/**
 * Opens a pool of connections and creates the tables that are missing. Throws a CheckpointError "missing-package",
 * "newer-version", "older-version" or "busy".
 */
export async function openPostgres(
  url: string,
  { connections = 10 }: VfsSaverPostgresOptions = {},
): Promise<Postgres> {
  const postgres = await Postgres.open(url, {
    connections,
    connectionTimeout,
    isDurable: true,
    createError: (failure, message, cause) => new CheckpointError(failure, message, { cause }),
  });
  try {
    await migratePostgres(postgres);
  } catch (error) {
    await postgres.close();
    throw error;
  }
  return postgres;
}
