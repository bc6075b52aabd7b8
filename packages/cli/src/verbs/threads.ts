import { DamagedRecords } from "../damaged-records.js";
import { damageOf, listThreads, sizeOfThread } from "@palimpsest/inspector";
import { oneLine, renderTable } from "../terminal-text.js";
import { columnsOf, type Verb } from "../verb.js";

/** Lists the threads, newest first. */
export const threads: Verb = {
  name: "threads",
  description:
    "List the threads, newest first, with the numbers of their checkpoints and folds and the size of their archive",
  args: [],
  options: [],
  async run({ saver, target, progress, notice, terminal }) {
    const damaged = new DamagedRecords(notice);
    const threads = await listThreads(saver);
    const rows = [];
    for (const row of threads) {
      const size = await sizeOfThread(saver, row.thread).catch((error: unknown) => {
        damaged.addThread(row.thread, { error, target });
        return { damage: damageOf(error) };
      });
      rows.push({ ...row, ...size });
      progress(`counted ${rows.length} of ${threads.length} threads`);
    }
    const head = ["thread", "checkpoints", "newest", "folds", "archive files", "archive bytes"];
    const cells = rows.map((row) => [
      oneLine(row.thread, 60),
      ...("folds" in row
        ? [row.checkpoints, row.newest, row.folds, row.archiveFiles, row.archiveBytes]
        : ["damaged", row.newest, "", "", ""]),
    ]);
    return {
      data: rows,
      text: rows.length === 0 ? "There are no threads.\n" : renderTable(head, cells, columnsOf({ terminal })),
      isFailure: damaged.count > 0,
    };
  },
};
