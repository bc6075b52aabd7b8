import { existsSync } from "node:fs";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { migrateThread, type MigratedThread } from "@palimpsest/checkpoint";
import Database from "libsql";
import { CliError } from "./cli-error.js";
import { isPostgres } from "./open-storage.js";
import { oneLine } from "./terminal-text.js";
import type { Report } from "./verb.js";

/** One of LangGraph's own savers, and what closes it. */
export interface OtherSaver {
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<unknown>;
}

/**
 * Opens the file of a SqliteSaver or the database of a PostgresSaver. With `create`, a file and tables that are not there are
 * created. Throws a CliError where the file or the package of the saver is missing.
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
  const name = "@langchain/langgraph-checkpoint-sqlite";
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite").catch(missing(name));
  // The driver that the storage needs anyway, in place of better-sqlite3, which may have to be compiled.
  const saver = new SqliteSaver(new Database(target));
  return { saver, close: async () => saver.db.close() };
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
    progress(`copying ${oneLine(threadId, 60)}, thread ${index + 1} of ${ids.length}`);
    rows.push({ thread: threadId, ...(await migrateThread({ from, to, threadId })) });
  }
  const copied = rows.reduce((sum, row) => sum + row.copied, 0);
  const present = rows.reduce((sum, row) => sum + row.present, 0);
  const text = `${rows.length} threads: ${copied} checkpoints copied and compared, ${present} were there already.\n`;
  return { data: rows, text };
}

async function threadsOf(saver: BaseCheckpointSaver): Promise<readonly string[]> {
  const threads = new Set<string>();
  for await (const { config } of saver.list({})) threads.add(String(config.configurable?.["thread_id"]));
  return [...threads];
}
