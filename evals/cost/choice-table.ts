import { shareRange } from "../report/format-value.js";
import { tableOf, type Column } from "../report/table-of.js";
import type { Table } from "../suite.js";
import { fullBill, type CostRow } from "./cost-row.js";

const settings = [
  "default",
  "planned",
  "planned, offload 1,000",
  "tight",
  "tight, summaries of 4,000",
  "smallest",
  "smallest, short summaries of 4,000",
  "lean",
  "folding, extractive",
];

/** Returns what our settings bill and keep, over the recorded sets where there are any. */
export function billChoices(rows: readonly CostRow[]): Table {
  const recorded = rows.filter(({ set }) => set !== "generated");
  const read = recorded.length > 0 ? recorded : rows;
  const windows = [...new Set(read.map(({ window }) => window))].toSorted((one, other) => other - one);
  return tableOf(settings, {
    title: "Bill",
    columns: [
      ["setting", (setting) => setting],
      ...windows.flatMap((window): readonly Column<string>[] => {
        const own = (setting: string) => read.filter((row) => row.window === window && isOf(row, setting));
        return [
          [
            `bill, window of ${window.toLocaleString("en")}`,
            (setting) => shareRange(own(setting).map((row) => row.whole / fullBill(row, rows))),
          ],
          ["in the prompt", (setting) => shareRange(own(setting).map(({ recall }) => recall))],
        ];
      }),
    ],
    note:
      "Bill: of that of full history with a prefix cache, summaries and what has to be read again included. In the prompt: share of what the next " +
      `call uses. Runs: ${[...new Set(read.map(({ set }) => set))].join(", ")}; lowest and highest where there are several. Planned: \`planner: { prices }\`. Tight: planned, ` +
      "results over 1,000 tokens offloaded on arrival, the newest 500 tokens kept. Smallest: tight, without excerpts and with 500 tokens of the user's words. " +
      "Summaries of 4,000: `limits.summaryInput: 4_000`. Short: `limits.summary: 600`. Lean: smallest, short summaries of 4,000, and nothing offloaded on arrival. " +
      "The summaries of all but folding are written by a model that is paid.",
  });
}

/** Some settings are played with extracted summaries as well: the figures are those with a model. */
function isOf(row: CostRow, setting: string): boolean {
  return row.isOurs && row.setting === setting;
}
