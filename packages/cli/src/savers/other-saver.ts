import { existsSync, statSync } from "node:fs";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { CachedMessagesSerializer, CheckpointError, type ListsCheckpoints } from "@palimpsest/checkpoint";
import Database from "libsql";
import { CliError } from "../cli-error.js";
import { isPostgres, nameOf, schemaIn, unopened } from "../open-storage.js";
import { checkDirectory } from "../write-new.js";
import { isMemoryDump, readMemoryDump } from "./memory-dump.js";

/** One of LangGraph's own savers, with its threads and a function that closes it. */
export interface OtherSaver {
  readonly saver: BaseCheckpointSaver & ListsCheckpoints;
  /** The ids of its threads. The saver itself would read every checkpoint of all of them into memory. */
  readonly threads: () => Promise<readonly string[]>;
  readonly close: () => Promise<unknown>;
}

/**
 * Opens the file of a SqliteSaver, the database of a PostgresSaver, or a dump of a MemorySaver, which is read-only. With
 * `create`, creates a missing file and missing tables. Throws a CliError if the file or the package of the saver is missing.
 */
export async function openOtherSaver(target: string, { create = false } = {}): Promise<OtherSaver> {
  if (isPostgres(target)) return openPostgresSaver(target, create);
  if (!create) checkSource(target);
  if (!create && isMemoryDump(target)) return openMemoryDump(target);
  if (existsSync(target) && statSync(target).isDirectory())
    throw new CliError(`${target} is a directory. Pass the path of the database in it.`);
  if (create) checkDirectory(target);
  return openSqliteSaver(target, create);
}

/** Throws a CliError for the path of a missing file. */
export function checkSource(target: string): void {
  if (!isPostgres(target) && !existsSync(target)) throw new CliError(`There is no database at ${target}.`);
}

/** The schema is `?schema=` of the url, or the one that a PostgresSaver uses on its own. */
async function openPostgresSaver(target: string, create: boolean): Promise<OtherSaver> {
  const name = "@langchain/langgraph-checkpoint-postgres";
  const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres").catch(missing(name));
  const { default: pg } = await import("pg").catch(missing("pg"));
  const schema = schemaIn(target) ?? "public";
  const pool = new pg.Pool({ connectionString: checkedUrl(target) });
  // Without a listener, an idle connection that breaks would end the process. The next query says what is wrong.
  pool.on("error", () => undefined);
  const saver = new PostgresSaver(pool, new CachedMessagesSerializer(), { schema });
  const rowsOf = async (sql: string, ...values: string[]): Promise<readonly Row[]> =>
    (await pool.query<Row>(sql, values)).rows;
  const table = `"${schema}".checkpoints`;
  try {
    await (create ? saver.setup() : rowsOf(`SELECT thread_id FROM ${table} LIMIT 0`));
  } catch (error) {
    await saver.end();
    throw isMissingTable(error) ? noThreads(target, schema) : unopened(target, error);
  }
  return {
    saver: Object.assign(saver, {
      async *checkpoints(thread: string) {
        yield* (await rowsOf(`${checkpointsIn(table)} $1`, thread)).map(placeIn);
      },
    }),
    threads: async () => (await rowsOf(threadsIn(table))).map(threadIn),
    close: async () => saver.end(),
  };
}

/** Returns the url. Throws a CliError for one that `pg` cannot read. */
function checkedUrl(target: string): string {
  if (URL.canParse(target)) return target;
  throw unopened(target, new Error("it is no url"));
}

/** True for the errors of a missing table, column and schema. */
function isMissingTable(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:42P01|42703|3F000)$/u.test(String(error.code));
}

function noThreads(target: string, schema: string): CliError {
  return new CliError(
    `${nameOf(target)} holds no tables of a PostgresSaver in the schema ${schema}. Check the name of the database in the url, and add ?schema=NAME if they are in another schema.`,
  );
}

async function openSqliteSaver(target: string, create: boolean): Promise<OtherSaver> {
  const name = "@langchain/langgraph-checkpoint-sqlite";
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite").catch(missing(name));
  // Use the driver that the storage needs anyway: better-sqlite3 may have to be compiled.
  const database = opened(target);
  checkTables(database, { target, create });
  const saver = new SqliteSaver(database, new CachedMessagesSerializer());
  const rowsOf = (sql: string, ...values: string[]): readonly Row[] =>
    database.prepare(sql).all(values) as Row[];
  return {
    saver: Object.assign(saver, {
      async *checkpoints(thread: string) {
        yield* rowsOf(`${checkpointsIn("checkpoints")} ?`, thread).map(placeIn);
      },
    }),
    threads: async () => rowsOf(threadsIn("checkpoints")).map(threadIn),
    close: async () => saver.db.close(),
  };
}

function opened(target: string): Database.Database {
  try {
    return new Database(target);
  } catch (cause) {
    const way = "Check that it is a file, and that its directory exists and is writable.";
    throw new CliError(`${target} cannot be opened: ${reasonOf(cause)}. ${way}`, { cause });
  }
}

function openMemoryDump(target: string): OtherSaver {
  const saver = readMemoryDump(target, new CachedMessagesSerializer());
  return {
    saver: Object.assign(saver, {
      async *checkpoints(thread: string) {
        for (const [namespace, checkpoints] of Object.entries(saver.storage[thread] ?? {}))
          for (const id of Object.keys(checkpoints)) yield { namespace, id };
      },
    }),
    threads: async () => Object.keys(saver.storage),
    close: async () => {},
  };
}

type Row = Readonly<Record<string, unknown>>;

/** Threads by their newest checkpoint, newest first. */
const threadsIn = (table: string): string =>
  `SELECT thread_id FROM ${table} GROUP BY thread_id ORDER BY max(checkpoint_id) DESC`;
const checkpointsIn = (table: string): string =>
  `SELECT checkpoint_ns, checkpoint_id FROM ${table} WHERE thread_id =`;

function threadIn(row: Row): string {
  return String(row["thread_id"]);
}

function placeIn(row: Row): { readonly namespace: string; readonly id: string } {
  return { namespace: String(row["checkpoint_ns"]), id: String(row["checkpoint_id"]) };
}

/** A SqliteSaver creates its tables in whatever file it opens: it must not do so in one of another application. */
function checkTables(
  database: Database.Database,
  { target, create }: { target: string; create: boolean },
): void {
  let columns: readonly string[];
  let tables: number;
  try {
    const rows = database.prepare("SELECT name FROM pragma_table_info('checkpoints')").all([]);
    columns = (rows as { readonly name: string }[]).map(({ name }) => name);
    tables = database.prepare("SELECT name FROM sqlite_master").all([]).length;
  } catch (cause) {
    database.close();
    throw new CliError(`${target} is not a readable SQLite database: ${reasonOf(cause)}.`, { cause });
  }
  if (columns.includes("thread_id") || (create && tables === 0)) return;
  database.close();
  const what = columns.includes("space") ? "a storage of Palimpsest" : "not a database of a SqliteSaver";
  const way = create ? "Pass the path of a new file." : "Pass the file that a SqliteSaver writes.";
  throw new CliError(`${target} is ${what}. ${way}`);
}

/** Returns the error for what the database of another saver throws, which has a code and no way out; others as they are. Pure. */
export function otherFailed(error: unknown, target: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (CheckpointError.isInstance(error) || !/^(?:SQLITE_|[0-9A-Z]{5}$|E[A-Z]+$)/u.test(code)) return error;
  const way =
    "What was copied before stays there: run the command again when this is mended, and it goes on.";
  return new CliError(`${nameOf(target)} cannot be read or written: ${reasonOf(error)} (${code}). ${way}`, {
    cause: error,
  });
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new CliError(`This needs the package ${name}. Run: npm install ${name}`, { cause });
  };
}
