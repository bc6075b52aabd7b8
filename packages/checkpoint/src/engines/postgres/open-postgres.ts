import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../../checkpoint-error.js";
import { CompactSaver } from "./compact-saver.js";
import { migratePostgres } from "./migrate-postgres.js";
import type { Pool } from "./postgres-pool.js";
import { retrying } from "./postgres-pool.js";

export interface VfsSaverPostgresOptions {
  /** The most connections of each of the two pools, one for checkpoints and one for contents. @default 5 */
  readonly connections?: number;
}

/** What is open of a Postgres database. */
export interface OpenPostgres {
  readonly pool: Pool;
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<void>;
}

/** "PMPS": held while tables are made, so that processes that start at once do not collide. */
const migrationLock = 0x50_4d_50_53;

/** Opens a database and makes the tables that are missing. Throws a CheckpointError "missing-package" or "newer-version". */
export async function openPostgres(
  url: string,
  { connections = 5 }: VfsSaverPostgresOptions = {},
): Promise<OpenPostgres> {
  const { default: pg } = await needed("pg", async () => import("pg"));
  const { PostgresSaver } = await needed(
    "@langchain/langgraph-checkpoint-postgres",
    async () => import("@langchain/langgraph-checkpoint-postgres"),
  );
  const pools = [1, 2].map(() => new pg.Pool({ connectionString: url, max: connections }));
  for (const pool of pools) {
    // A connection that breaks while idle is replaced by the next query: nobody has to be told. One that breaks between the
    // queries of a transaction fails the next of them, and would else end the process.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => client.on("error", () => undefined));
  }
  const [own, theirs] = pools as [InstanceType<typeof pg.Pool>, InstanceType<typeof pg.Pool>];
  const saver = new PostgresSaver(theirs);
  const close = async (): Promise<void> => {
    await Promise.all(pools.map(async (pool) => pool.end()));
  };
  try {
    await retrying(async () => migrate(own, saver));
  } catch (error) {
    await close();
    throw error;
  }
  return { pool: own, saver: new CompactSaver(saver), close };
}

async function migrate(pool: Pool, saver: { setup(): Promise<void> }): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [migrationLock]);
    await migratePostgres(client);
    await saver.setup();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

async function needed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new CheckpointError(
      "missing-package",
      `Postgres needs the package ${name}. Run: npm install ${name}`,
      { cause },
    );
  }
}
