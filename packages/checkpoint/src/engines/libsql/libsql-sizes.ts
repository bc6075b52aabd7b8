import { setImmediate as nextTurn } from "node:timers/promises";
import type { EngineSizes, Size } from "../../engine.js";
import type { LibsqlDatabase } from "./libsql-database.js";

/** Values of the key that one statement covers: a few milliseconds, after which other work of the process runs. */
const keysAtOnce = 5_000;

/** The tables with contents, and the integer that their rows are sorted by. */
const tables = [
  { kind: "checkpoints", table: "checkpoints", key: "seq" },
  { kind: "checkpoints", table: "writes", key: "space" },
  { kind: "contents", table: "blobs", key: "id" },
] as const;

/** Counts the rows of a file and their bytes, as they are stored. */
export async function libsqlSizes(database: LibsqlDatabase): Promise<EngineSizes> {
  const sizes = { checkpoints: { rows: 0, bytes: 0 }, contents: { rows: 0, bytes: 0 } };
  for (const { kind, ...range } of tables) {
    for await (const { rows, bytes } of parts(database, range)) {
      sizes[kind].rows += rows;
      sizes[kind].bytes += bytes;
    }
  }
  const disk = await database.whenFree(() => pagesOf(database));
  return { ...sizes, disk };
}

async function* parts(
  database: LibsqlDatabase,
  { table, key }: { readonly table: string; readonly key: string },
): AsyncGenerator<Size> {
  const sql = `SELECT count(*) AS rows, total(length(data)) AS bytes FROM ${table} WHERE ${key} >= ? AND ${key} < ?`;
  const ends = `SELECT min(${key}) AS first, max(${key}) AS last FROM ${table}`;
  const found = await database.whenFree(() => database.get(ends));
  const last = Number(found?.["last"] ?? -1);
  for (let first = Number(found?.["first"] ?? 0); first <= last; first += keysAtOnce) {
    const row = await database.whenFree(() => database.get(sql, first, first + keysAtOnce));
    yield { rows: Number(row?.["rows"]), bytes: Number(row?.["bytes"]) };
    await nextTurn();
  }
}

/** Returns the bytes of the file, with indexes and free pages, and without the log. */
function pagesOf(database: LibsqlDatabase): number {
  const numberOf = (name: string) => Number(database.get(`PRAGMA ${name}`)?.[name]);
  return numberOf("page_count") * numberOf("page_size");
}
