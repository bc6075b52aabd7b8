import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { RecallIndex } from "../recall-index.js";
import type { RecallOptions } from "../options.js";

/** URLs of the Postgres servers to test on: the one started for the tests, or none. */
export const servers: readonly string[] = [process.env["PALIMPSEST_POSTGRES_URL"] ?? []].flat();

let made = 0;

/** A kind of storage of an index. */
export interface Engine {
  readonly name: string;
  /** Returns a new path or URL without an index. */
  readonly newPlace: () => string | Promise<string>;
  readonly open: (place: string, options?: RecallOptions) => RecallIndex | Promise<RecallIndex>;
}

const folder = mkdtempSync(join(tmpdir(), "recall-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

export const newPath = (): string => join(folder, `${randomUUID()}.db`);

const memory: Engine = {
  name: "memory",
  newPlace: () => "",
  open: (_, options) => RecallIndex.inMemory(options),
};

/** The engines whose index outlives its process. */
export const lasting: readonly Engine[] = [
  { name: "a file", newPlace: newPath, open: (path, options) => RecallIndex.fromPath(path, options) },
  ...servers.map((server) => ({
    name: "Postgres",
    newPlace: async () => newDatabase(server),
    open: async (url: string, options?: RecallOptions) =>
      RecallIndex.fromPostgres(url, { ...options, connections: 2 }),
  })),
];

export const engines: readonly Engine[] = [memory, ...lasting];

/** Returns the URL of an empty schema, which serves as a database. */
export async function newDatabase(server: string): Promise<string> {
  const schema = `recall_${process.pid}_${made++}`;
  await runSql(server, `CREATE SCHEMA ${schema}`);
  const url = new URL(server);
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url.href;
}

/** Runs SQL on a new connection. */
export async function runSql(
  url: string,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Readonly<Record<string, unknown>>[];
  } finally {
    await client.end();
  }
}
