import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { migrateThread, type MigratedThread, type MigrateThreadOptions } from "@palimpsest/checkpoint";
import { count, oneLine } from "../terminal-text.js";
import type { Report } from "../verb.js";

export interface CopyThreadsOptions {
  readonly from: MigrateThreadOptions["from"];
  readonly to: BaseCheckpointSaver;
  /** Ids of threads of `from`. */
  readonly threads: readonly string[];
  readonly progress: (line: string) => void;
}

/** Copies threads and compares each copy. A repeated call continues where the last one ended. */
export async function copyThreads({ from, to, threads, progress }: CopyThreadsOptions): Promise<Report> {
  const rows: (MigratedThread & { readonly thread: string })[] = [];
  for (const [index, threadId] of threads.entries()) {
    const name = `copying ${oneLine(threadId, 60)}, thread ${index + 1} of ${threads.length}`;
    const onProgress = (done: number, all: number): void =>
      progress(`${name}: ${done} of ${all} checkpoints`);
    rows.push({ thread: threadId, ...(await migrateThread({ from, to, threadId, onProgress })) });
  }
  const copied = rows.reduce((sum, row) => sum + row.copied, 0);
  const present = rows.reduce((sum, row) => sum + row.present, 0);
  const noun = rows.length === 1 ? "thread" : "threads";
  const text = `${count(rows.length)} ${noun}: ${count(copied)} checkpoints copied and compared, ${count(present)} were there already.\n`;
  return { data: rows, text };
}
