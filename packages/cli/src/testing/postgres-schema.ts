import { Client } from "pg";

const server = process.env["PALIMPSEST_POSTGRES_URL"];
let schemas = 0;

/** Returns the url of an empty schema, which serves as a database. */
export async function newSchema(): Promise<string> {
  const name = `cli_${process.pid}_${++schemas}`;
  const url = new URL(server ?? "");
  await query(url.href, `CREATE SCHEMA ${name}`);
  url.searchParams.set("options", `-c search_path=${name}`);
  return url.href;
}

/** Returns the rows of a statement. */
export async function query(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
