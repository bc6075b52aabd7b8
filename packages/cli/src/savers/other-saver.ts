import { existsSync, statSync } from "node:fs";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { migrateThread, type MigratedThread } from "@palimpsest/checkpoint";
import Database from "libsql";
import { CliError } from "../cli-error.js";
import { isMemoryDump, readMemoryDump } from "./memory-dump.js";
import { isPostgres } from "../open-storage.js";
import { checkDirectory } from "../write-new.js";
import { count, oneLine } from "../terminal-text.js";
import type { Report } from "../verb.js";

/** One of LangGraph's own savers, and what closes it. */
export interface OtherSaver {
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<unknown>;
}

/**
 * Opens the file of a SqliteSaver, the database of a PostgresSaver, or to read a dump of a MemorySaver. With `create`, a file
 * and tables that are not there are created. Throws a CliError where the file or the package of the saver is missing.
 */
export async function openOtherSaver(target: string, { create = false } = {}): Promise<OtherSaver> {
  if (isPostgres(target)) {
    const name = "@langchain/langgraph-checkpoint-postgres";
    const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres").catch(missing(name));
    const saver = PostgresSaver.fromConnString(target);
    if (create) await saver.setup();
    return { saver, close: async () => saver.end() };
  }
  if (!create && !existsSync(target)) throw new CliError(`There is no database at ${target}.`);
  if (!create && isMemoryDump(target)) return { saver: readMemoryDump(target), close: async () => {} };
  if (existsSync(target) && statSync(target).isDirectory())
    throw new CliError(`${target} is a directory. Pass the path of the database in it.`);
  if (create) checkDirectory(target);
  const name = "@langchain/langgraph-checkpoint-sqlite";
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite").catch(missing(name));
  // The driver that the storage needs anyway, in place of better-sqlite3, which may have to be compiled.
  const database = new Database(target);
  checkTables(database, { target, create });
  const saver = new SqliteSaver(database);
  return { saver, close: async () => saver.db.close() };
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
    throw new CliError(`${target} is no SQLite database that can be read: ${reasonOf(cause)}.`, { cause });
  }
  if (columns.includes("thread_id") || (create && tables === 0)) return;
  database.close();
  const what = columns.includes("space") ? "a storage of Palimpsest" : "no database of a SqliteSaver";
  const way = create ? "Pass the path of a new file." : "Pass the file that a SqliteSaver writes.";
  throw new CliError(`${target} is ${what}. ${way}`);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new CliError(`This needs the package ${name}. Run: npm install ${name}`, { cause });
  };
}

export interface CopyThreadsOptions {
  readonly from: BaseCheckpointSaver;
  readonly to: BaseCheckpointSaver;
  /** Ids of threads; none for all of `from`. */
  readonly threads: readonly string[];
  readonly progress: (line: string) => void;
}

/** Copies threads and compares each. Repeating it goes on where it ended. */
export async function copyThreads({ from, to, threads, progress }: CopyThreadsOptions): Promise<Report> {
  const ids = threads.length > 0 ? threads : await threadsOf(from);
  const rows: (MigratedThread & { readonly thread: string })[] = [];
  for (const [index, threadId] of ids.entries()) {
    const name = `copying ${oneLine(threadId, 60)}, thread ${index + 1} of ${ids.length}`;
    const onProgress = (done: number, all: number): void =>
      progress(`${name}: ${done} of ${all} checkpoints`);
    rows.push({ thread: threadId, ...(await migrateThread({ from, to, threadId, onProgress })) });
  }
  const copied = rows.reduce((sum, row) => sum + row.copied, 0);
  const present = rows.reduce((sum, row) => sum + row.present, 0);
  const text = `${count(rows.length)} threads: ${count(copied)} checkpoints copied and compared, ${count(present)} were there already.\n`;
  return { data: rows, text };
}

async function threadsOf(saver: BaseCheckpointSaver): Promise<readonly string[]> {
  const threads = new Set<string>();
  for await (const { config } of saver.list({})) threads.add(String(config.configurable?.["thread_id"]));
  return [...threads];
}
