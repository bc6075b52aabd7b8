import { readRows } from "@palimpsest/inspector";
import { DamagedRecords } from "../../damaged-records.js";
import { counted, renderTable } from "../../terminal-text.js";
import { columnsOf, type Verb } from "../../verb.js";

/** Lists what failed in a thread. */
export const errors: Verb = {
  name: "errors",
  description:
    "List what failed in a thread: tool calls, summaries and writes to the archive, each at its step",
  args: ["<thread>"],
  options: [],
  async run({ saver, target, args: [threadId = ""], progress, notice, terminal }) {
    progress("reading the steps");
    const damaged = new DamagedRecords(notice);
    const rows = await readRows(saver, threadId, (error) => damaged.addSteps(threadId, { error, target }));
    const data = rows.flatMap(({ id, step, at, faults }) =>
      faults.map((fault) => ({ checkpoint: id, step, at, ...fault })),
    );
    const cells = data.map(({ step, at, what, text }) => [step ?? "", at, what, text]);
    const table = renderTable(["step", "time", "what", "error"], cells, columnsOf({ terminal }));
    const text = data.length === 0 ? "Nothing failed.\n" : `${table}${counted(data.length, "error")}\n`;
    return { data, text, isFailure: damaged.count > 0 };
  },
};
