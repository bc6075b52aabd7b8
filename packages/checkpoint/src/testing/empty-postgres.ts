import type { Postgres } from "@palimpsest/sql";
import { openPostgres } from "../engines/postgres/open-postgres.js";
import { onPostgres } from "../drivers/on-postgres.js";
import { VfsSaver } from "../saver/vfs-saver.js";
import type { VfsSaverOptions } from "../saver/saver-options.js";

const databases = new Map<string, Promise<Postgres>>();

/** Creates a database for this process on the server at `url`, and returns its url. */
export async function newDatabase(url: string, name = `palimpsest_${process.pid}`): Promise<string> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const database = new URL(url);
  database.pathname = `/${name}`;
  return database.href;
}

/** Returns a saver on an emptied database. The savers of one process share their connections. */
export async function emptyPostgres(url: string, options: VfsSaverOptions = {}): Promise<VfsSaver> {
  const opening = databases.get(url) ?? newDatabase(url).then(async (database) => openPostgres(database));
  databases.set(url, opening);
  const postgres = await opening;
  // Deleting the few rows of a test is fifty times faster than truncating the tables.
  await postgres.query("DELETE FROM palimpsest_threads WHERE name <> ''");
  await postgres.query("DELETE FROM palimpsest_entries");
  await postgres.query("DROP TABLE IF EXISTS palimpsest_chunks, palimpsest_files");
  const parts = onPostgres(postgres);
  parts.engine.close = async () => undefined;
  return new VfsSaver({ ...options, ...parts });
}
