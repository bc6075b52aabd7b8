import { existsSync } from "node:fs";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { migrateThread } from "@palimpsest/checkpoint";
import Database from "libsql";
import { CliError } from "../cli-error.js";
import { isPostgres } from "../open-storage.js";
import { oneLine } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** A saver to read from, and what closes it. */
interface Source {
  readonly saver: BaseCheckpointSaver;
  readonly close: () => Promise<unknown>;
}

/** Copies threads of LangGraph's own savers. Repeating it goes on where it ended. */
export const importThreads: Verb = {
  name: "import",
  description:
    "Copy threads of a SqliteSaver file or a PostgresSaver database into the storage, and compare each",
  args: ["<source>", "[threads...]"],
  options: [],
  canWrite: "create",
  async run({ saver, args: [from = "", ...only], progress }) {
    const source = await openSource(from);
    try {
      const named = only.flatMap((threadId) => threadId ?? []);
      const threads = named.length > 0 ? named : await threadsOf(source.saver);
      const rows = [];
      for (const [index, threadId] of threads.entries()) {
        progress(`importing ${oneLine(threadId, 60)}, thread ${index + 1} of ${threads.length}`);
        rows.push({
          thread: threadId,
          ...(await migrateThread({ from: source.saver, to: saver, threadId })),
        });
      }
      const copied = rows.reduce((sum, row) => sum + row.copied, 0);
      const present = rows.reduce((sum, row) => sum + row.present, 0);
      const text = `${rows.length} threads: ${copied} checkpoints copied and compared, ${present} were there already.\n`;
      return { data: rows, text };
    } finally {
      await source.close();
    }
  },
};

async function threadsOf(saver: BaseCheckpointSaver): Promise<readonly string[]> {
  const threads = new Set<string>();
  for await (const { config } of saver.list({})) threads.add(String(config.configurable?.["thread_id"]));
  return [...threads];
}

async function openSource(source: string): Promise<Source> {
  if (isPostgres(source)) {
    const name = "@langchain/langgraph-checkpoint-postgres";
    const { PostgresSaver } = await import("@langchain/langgraph-checkpoint-postgres").catch(missing(name));
    const saver = PostgresSaver.fromConnString(source);
    return { saver, close: async () => saver.end() };
  }
  if (!existsSync(source)) throw new CliError(`There is no database at ${source}.`);
  const name = "@langchain/langgraph-checkpoint-sqlite";
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite").catch(missing(name));
  // The driver that the storage needs anyway, in place of better-sqlite3, which may have to be compiled.
  const saver = new SqliteSaver(new Database(source));
  return { saver, close: async () => saver.db.close() };
}

function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    throw new CliError(`Reading this source needs the package ${name}. Run: npm install ${name}`, { cause });
  };
}
