import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import Database from "libsql";
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chosen, type Random, type Storage } from "./storage.js";

export interface FileKind {
  readonly open: (path: string) => BaseCheckpointSaver & { close: () => unknown };
  /** The column of `checkpoints` and `writes` that has the id of the checkpoint. */
  readonly id: string;
}

type Row = Readonly<Record<string, unknown>>;

interface Table {
  readonly name: string;
  readonly keys: readonly string[];
  readonly blobs: readonly string[];
}

/** A value of a row. */
interface Cell extends Table {
  readonly row: Row;
  readonly column: string;
  readonly length: number;
}

/** What a saver holds in a SQLite file. */
export function fileStorage(kind: FileKind, copied?: string): Storage {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-rivals-"));
  const path = join(directory, "bench.db");
  if (copied !== undefined) cpSync(copied, directory, { recursive: true });
  const change = <T>(work: (database: Database.Database) => T): T => withDatabase(path, work);
  return {
    open: () => {
      const saver = kind.open(path);
      return { saver, close: async () => void (await saver.close()) };
    },
    bytes: () => {
      settle(path);
      return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    },
    copy: () => fileStorage(kind, directory),
    flip: (random) => change((database) => flip(database, random)),
    drop: (random) => change((database) => drop(database, random)),
    deleteOlder: (keep) => change((database) => deleteOlder(database, kind.id, keep)),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Moves the log into the file and packs the file. */
function settle(path: string): void {
  withDatabase(path, (database) => {
    database.exec("VACUUM");
    database.pragma("wal_checkpoint(TRUNCATE)");
  });
}

function withDatabase<T>(path: string, work: (database: Database.Database) => T): T {
  const database = new Database(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function tablesOf(database: Database.Database): Table[] {
  const names = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .all() as { readonly name: string }[];
  return names.map(({ name }) => {
    const columns = database.prepare(`SELECT name, type, pk FROM pragma_table_info('${name}')`).all() as {
      readonly name: string;
      readonly type: string;
      readonly pk: number;
    }[];
    return {
      name,
      keys: columns.filter(({ pk }) => pk > 0).map((column) => column.name),
      blobs: columns.filter(({ type, pk }) => type === "BLOB" && pk === 0).map((column) => column.name),
    };
  });
}

function flip(database: Database.Database, random: Random): void {
  const cells = tablesOf(database).flatMap((table) =>
    table.blobs.flatMap((column) => cellsOf(database, table, column)),
  );
  const cell = chosen(cells, random, ({ length }) => length);
  const [where, keys] = placeOf(cell, cell.row);
  const read = database
    .prepare(`SELECT CAST(${cell.column} AS BLOB) AS value FROM ${cell.name} WHERE ${where}`)
    .get(keys) as { readonly value: Uint8Array };
  const changed = Buffer.from(read.value);
  const at = Math.floor(random() * changed.length);
  changed[at] = (changed[at] ?? 0) ^ 1;
  database.prepare(`UPDATE ${cell.name} SET ${cell.column} = ? WHERE ${where}`).run([changed, ...keys]);
}

function cellsOf(database: Database.Database, table: Table, column: string): Cell[] {
  const sql = `SELECT ${table.keys.join(", ")}, length(CAST(${column} AS BLOB)) AS length_of_value FROM ${table.name}`;
  const rows = database.prepare(sql).all() as Row[];
  return rows.map((row) => ({ ...table, row, column, length: Number(row["length_of_value"]) }));
}

function drop(database: Database.Database, random: Random): void {
  const rows = tablesOf(database).map((table) => ({
    table,
    rows: database.prepare(`SELECT ${table.keys.join(", ")} FROM ${table.name}`).all() as Row[],
  }));
  const from = chosen(
    rows.filter((each) => each.rows.length > 0),
    random,
  );
  const [where, keys] = placeOf(from.table, chosen(from.rows, random));
  database.prepare(`DELETE FROM ${from.table.name} WHERE ${where}`).run(keys);
}

function placeOf({ keys }: Table, row: Row): readonly [string, unknown[]] {
  return [keys.map((key) => `${key} = ?`).join(" AND "), keys.map((key) => bound(row[key]))];
}

/** The driver binds no plain array of bytes. */
function bound(value: unknown): unknown {
  return value instanceof ArrayBuffer || value instanceof Uint8Array
    ? Buffer.from(value as Uint8Array)
    : value;
}

function deleteOlder(database: Database.Database, id: string, keep: number): void {
  const newest = `SELECT ${id} FROM checkpoints ORDER BY ${id} DESC LIMIT ${keep}`;
  database.exec(`DELETE FROM writes WHERE ${id} NOT IN (${newest})`);
  database.exec(`DELETE FROM checkpoints WHERE ${id} NOT IN (${newest})`);
}
