import { Client } from "pg";

/** Urls of the servers to test on: the one that was started for the tests, or none. */
export const servers: readonly string[] = [process.env["PALIMPSEST_POSTGRES_URL"] ?? []].flat();

let made = 0;

/** Returns the url of an empty database, in effect: a schema of its own in the database of the server. */
export async function newDatabase(server: string): Promise<string> {
  const schema = `recall_${process.pid}_${made++}`;
  await run(server, `CREATE SCHEMA ${schema}`);
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url.href;
}

/** Runs SQL on a connection of its own. */
export async function run(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Readonly<Record<string, unknown>>[];
  } finally {
    await client.end();
  }
}
