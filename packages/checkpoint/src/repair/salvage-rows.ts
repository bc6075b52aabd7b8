import type { SqliteRow } from "@palimpsest/sql";
import { CheckpointError } from "../checkpoint-error.js";
import { bytesOf, textOf } from "../engines/libsql/columns.js";
import type { LibsqlDatabase } from "../engines/libsql/libsql-database.js";

interface Column {
  readonly name: string;
  /** As declared, in lower case; "" for a column that takes any type. */
  readonly type: string;
  /** The place in the primary key, counted from 1; 0 outside. */
  readonly key: number;
}

/** The largest step over rows that cannot be read. */
const maxStep = 2 ** 32;

/**
 * Copies each row of a table that can be read. SQLite reads a table in the order of its key and stops at a damaged page, so it is
 * read from both ends, and between two damaged pages from where a number in the key leads behind the first. Of two rows with one key
 * the first stays. Returns whether all of it was read.
 */
export function salvageRows(from: LibsqlDatabase, to: LibsqlDatabase, table: string): boolean {
  return new TableSalvage(from, to, table).run();
}

class TableSalvage {
  readonly #from: LibsqlDatabase;
  readonly #to: LibsqlDatabase;
  readonly #table: string;
  readonly #columns: readonly Column[];
  readonly #insert: string;
  #isWhole = true;

  constructor(from: LibsqlDatabase, to: LibsqlDatabase, table: string) {
    [this.#from, this.#to, this.#table] = [from, to, table];
    type Info = { readonly name: string; readonly type: string; readonly pk: number };
    this.#columns = to
      .all<Info>("SELECT name, type, pk FROM pragma_table_info(?)", table)
      .map(({ name, type, pk }) => ({ name, type: type.toLowerCase(), key: pk }));
    const names = this.#columns.map(({ name }) => name);
    const values = names.map((_, at) => {
      const [type, value] = [`?${2 * at + 1}`, `?${2 * at + 2}`];
      return `CASE ${type} WHEN 'text' THEN CAST(${value} AS TEXT) WHEN 'integer' THEN CAST(CAST(${value} AS TEXT) AS INTEGER) ELSE ${value} END`;
    });
    this.#insert = `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")}`;
  }

  run(): boolean {
    let { end, last = 0 } = this.#scan("ASC");
    if (end) return this.#isWhole;
    this.#scan("DESC");
    while (!end) {
      const next = this.#behind(last);
      if (next === undefined) break;
      this.#scan("DESC", `< ${next}`);
      ({ end, last = next } = this.#scan("ASC", `>= ${next}`));
      // In pages out of order the last number may be a lower one.
      last = Math.max(last, next);
    }
    return false;
  }

  /** Returns a number behind `last` from which rows can be read, give or take a step. */
  #behind(last: number): number | undefined {
    const [first] = this.#key;
    const sql = `SELECT ${first} FROM ${this.#table} NOT INDEXED WHERE ${first} >= ? ORDER BY ${this.#key.join(", ")} LIMIT 1`;
    for (let step = 1; step < maxStep; step *= 2) {
      let found: unknown;
      if (unlessDamaged(() => void (found = this.#from.get(sql, last + step)?.[first ?? ""])))
        return typeof found === "number" ? found : undefined;
    }
    return undefined;
  }

  get #key(): readonly string[] {
    const inKey = this.#columns.filter(({ key }) => key > 0).toSorted((one, other) => one.key - other.key);
    return inKey.map(({ name }) => name);
  }

  /** Copies rows in the order of the key. `last` is the last number that its first column had; undefined if it had none. */
  #scan(order: "ASC" | "DESC", range?: string): { readonly end: boolean; readonly last?: number } {
    const [first = ""] = this.#key;
    // The driver ends the process for a text that is not UTF-8: it is given bytes alone.
    const columns = this.#columns.map(
      ({ name }, at) => `typeof(${name}) AS t${at}, CAST(${name} AS BLOB) AS v${at}`,
    );
    const where = range === undefined ? "" : `WHERE ${first} ${range}`;
    const sorted = this.#key.map((name) => `${name} ${order}`).join(", ");
    const sql = `SELECT ${columns.join(", ")} FROM ${this.#table} NOT INDEXED ${where} ORDER BY ${sorted}`;
    const keyAt = this.#columns.findIndex(({ name }) => name === first);
    const seen: { rows: number; last?: number; failure?: unknown } = { rows: 0 };
    const visit = (row: SqliteRow): void => {
      seen.rows += 1;
      if (row[`t${keyAt}`] === "integer") seen.last = Number(textOf(row[`v${keyAt}`]));
      try {
        if (seen.failure === undefined) this.#copy(row);
      } catch (error) {
        seen.failure = error;
      }
    };
    const end = unlessDamaged(() => this.#from.forEach(sql, visit));
    // The driver asks for many rows at once, and gives none of them when one is damaged.
    if (!end) unlessDamaged(() => this.#eachBehind(sql, () => seen.rows, visit));
    if (seen.failure !== undefined) throw seen.failure;
    return { end, ...(seen.last === undefined ? {} : { last: seen.last }) };
  }

  #eachBehind(sql: string, rows: () => number, visit: (row: SqliteRow) => void): void {
    for (;;) {
      const row = this.#from.get(`${sql} LIMIT 1 OFFSET ?`, rows());
      if (row === undefined) return;
      visit(row);
    }
  }

  /** A row of another table, whose page stands in the place of one of this table, has other types. */
  #copy(row: SqliteRow): void {
    const isOfTable = this.#columns.every(
      ({ type }, at) => type === "" || ["null", type].includes(row[`t${at}`] as string),
    );
    if (!isOfTable) this.#isWhole = false;
    else this.#to.run(this.#insert, ...this.#columns.flatMap((_, at) => typeAndBytes(row, at)));
  }
}

function typeAndBytes(row: SqliteRow, at: number): readonly [type: string, bytes: Uint8Array | null] {
  const bytes = row[`v${at}`] ?? null;
  return [row[`t${at}`] as string, bytes === null ? null : bytesOf(bytes)];
}

/** Returns false where damage ended the work. */
function unlessDamaged(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!CheckpointError.isInstance(error) || error.code !== "corrupt") throw error;
    return false;
  }
}
