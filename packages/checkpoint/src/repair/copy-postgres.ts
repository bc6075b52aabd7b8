import type { Postgres, PostgresClient } from "@palimpsest/sql";
import { CheckpointError } from "../checkpoint-error.js";
import { openPostgres } from "../engines/postgres/open-postgres.js";
import { createFileTables } from "../engines/postgres/schema.js";

/** A table, its columns with their types, and how many rows are read at once: a few megabytes. */
interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: number;
  /** Whether a sequence counts its ids. */
  readonly isCounted: boolean;
  /** Leaves out the row with the version. */
  readonly where?: string;
}

const threads: Table = {
  name: "palimpsest_threads",
  columns: { id: "bigint", epoch: "bigint", name: "text" },
  isCounted: true,
  where: "WHERE name <> ''",
  rows: 10_000,
};
const entries: Table = {
  name: "palimpsest_entries",
  columns: {
    thread: "bigint",
    kind: '"char"',
    namespace: "text",
    id: "bytea",
    task: "bytea",
    parent: "bytea",
    data: "bytea",
  },
  isCounted: false,
  rows: 1_000,
};
const files: Table = {
  name: "palimpsest_files",
  columns: { id: "bigint", path: "text", size: "bigint", modified: "timestamptz" },
  isCounted: true,
  rows: 10_000,
};
const chunks: Table = {
  name: "palimpsest_chunks",
  columns: { file: "bigint", number: "int", data: "bytea" },
  isCounted: false,
  rows: 32,
};

/**
 * Copies a consistent snapshot of all threads and files of a Postgres database into a database or schema without any. Rows are
 * copied unchanged, even damaged ones. Other processes may write to the source meanwhile. Copies all or nothing.
 *
 * Throws a CheckpointError "conflict" where the target holds threads or files, and those of `VfsSaver.fromPostgres`.
 */
export async function copyPostgres(from: string, to: string): Promise<void> {
  const source = await openPostgres(from, { readOnly: true });
  try {
    const target = await openPostgres(to);
    try {
      await copyTables(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyTables(source: Postgres, target: Postgres): Promise<void> {
  await source.transaction(async (reader) => {
    await reader.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const hasFiles = await isTable(reader, source.qualified(files.name));
    if (hasFiles) await createFileTables(target);
    const tables = hasFiles ? [threads, entries, files, chunks] : [threads, entries];
    await target.transaction(async (writer) => {
      for (const table of tables) {
        await requireEmpty(writer, table);
        await copyTable(reader, writer, table);
      }
      for (const table of tables.filter(({ isCounted }) => isCounted))
        await writer.query(
          `SELECT setval(pg_get_serial_sequence('${table.name}', 'id'), max(id)) FROM ${table.name}`,
        );
    });
  });
}

async function isTable(client: PostgresClient, name: string): Promise<boolean> {
  const { rows } = await client.query("SELECT to_regclass($1) IS NOT NULL AS exists", [name]);
  return rows[0]?.["exists"] === true;
}

async function requireEmpty(client: PostgresClient, { name, where = "" }: Table): Promise<void> {
  const { rows } = await client.query(`SELECT EXISTS (SELECT FROM ${name} ${where}) AS exists`);
  if (rows[0]?.["exists"] !== true) return;
  throw new CheckpointError(
    "conflict",
    "The database for the copy holds threads or files already. Pass the url of an empty database.",
  );
}

async function copyTable(reader: PostgresClient, writer: PostgresClient, table: Table): Promise<void> {
  const names = Object.keys(table.columns);
  const arrays = Object.values(table.columns).map((type, index) => `$${index + 1}::${type}[]`);
  const identity = table.isCounted ? "OVERRIDING SYSTEM VALUE" : "";
  const insert = `INSERT INTO ${table.name} (${names.join(", ")}) ${identity} SELECT * FROM unnest(${arrays.join(", ")})`;
  await reader.query(
    `DECLARE copied NO SCROLL CURSOR FOR SELECT ${names.join(", ")} FROM ${table.name} ${table.where ?? ""}`,
  );
  for (;;) {
    const { rows } = await reader.query(`FETCH ${table.rows} FROM copied`);
    if (rows.length === 0) break;
    await writer.query(
      insert,
      names.map((name) => rows.map((row) => row[name])),
    );
  }
  await reader.query("CLOSE copied");
}
