import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { migrateThread, type MigratedThread, type MigrateThreadOptions } from "@palimpsest/checkpoint";
import { count, oneLine } from "../terminal-text.js";
import { otherFailed } from "./other-saver.js";
import type { Report } from "../verb.js";

export interface CopyThreadsOptions {
  readonly from: MigrateThreadOptions["from"];
  readonly to: BaseCheckpointSaver;
  /** The path or url of the saver of LangGraph among the two. */
  readonly other: string;
  /** Ids of threads of `from`. */
  readonly threads: readonly string[];
  readonly progress: (line: string) => void;
}

/**
 * Copies threads and compares each copy. A repeated call continues where the last one ended. Throws a CliError that names the other saver
 * where its database fails.
 */
export async function copyThreads({
  from,
  to,
  other,
  threads,
  progress,
}: CopyThreadsOptions): Promise<Report> {
  const rows: (MigratedThread & { readonly thread: string })[] = [];
  for (const [index, threadId] of threads.entries()) {
    const name = `copying ${oneLine(threadId, 60)}, thread ${index + 1} of ${threads.length}`;
    const onProgress = (done: number, all: number): void =>
      progress(`${name}: ${done} of ${all} checkpoints`);
    const copied = await migrateThread({ from, to, threadId, onProgress }).catch((error: unknown) => {
      throw otherFailed(error, other);
    });
    rows.push({ thread: threadId, ...copied });
  }
  const copied = rows.reduce((sum, row) => sum + row.copied, 0);
  const present = rows.reduce((sum, row) => sum + row.present, 0);
  const noun = rows.length === 1 ? "thread" : "threads";
  const text = `${count(rows.length)} ${noun}: ${count(copied)} checkpoints copied and compared, ${count(present)} were there already.\n`;
  return { data: rows, text };
}
