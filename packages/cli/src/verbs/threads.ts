import type { VfsSaver } from "@palimpsest/checkpoint";
import { oneLine, renderTable } from "../terminal-text.js";
import type { Verb } from "../verb.js";

interface ThreadRow {
  readonly thread: string;
  readonly checkpoints: number;
  /** ISO 8601 time of the newest checkpoint. */
  readonly newest: string;
  readonly archiveFiles: number;
  readonly archiveBytes: number;
}

/** Lists the threads, newest first. */
export const threads: Verb = {
  name: "threads",
  description: "List the threads, newest first, with their checkpoints and the size of their archive",
  args: [],
  options: [],
  async run({ saver }) {
    const rows: ThreadRow[] = [];
    for (const thread of await saver.threads()) rows.push(await rowOf(saver, thread));
    rows.sort((a, b) => (a.newest < b.newest ? 1 : -1));
    const head = ["thread", "checkpoints", "newest", "archive files", "archive bytes"];
    const cells = rows.map((row) => [
      oneLine(row.thread, 60),
      row.checkpoints,
      row.newest,
      row.archiveFiles,
      row.archiveBytes,
    ]);
    return { data: rows, text: rows.length === 0 ? "There are no threads.\n" : renderTable(head, cells) };
  },
};

async function rowOf(saver: VfsSaver, thread: string): Promise<ThreadRow> {
  let [checkpoints, newest, archiveFiles, archiveBytes] = [0, "", 0, 0];
  for await (const { createdAt } of saver.checkpoints(thread)) {
    checkpoints += 1;
    if (createdAt > newest) newest = createdAt;
  }
  for await (const { size } of saver.files.archive(thread).list()) {
    archiveFiles += 1;
    archiveBytes += size;
  }
  return { thread, checkpoints, newest, archiveFiles, archiveBytes };
}
