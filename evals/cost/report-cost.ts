import type { Table } from "../suite.js";
import { fullBill, type CostRow } from "./cost-row.js";
import { decimals, percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";

/** Returns what each policy sends and bills, what it keeps of the user's words, and whether its prompts are legal. */
export function costTable(rows: readonly CostRow[]): Table {
  const ofFull = (row: CostRow, bill: number) => Number((bill / fullBill(row, rows)).toFixed(3));
  return tableOf(rows, {
    title: "What is sent, billed and kept",
    columns: [
      ["set", (row) => row.set],
      ["window", (row) => row.window],
      ["system", (row) => row.system],
      ["setting", (row) => row.setting],
      ["summaries by", (row) => row.author],
      ["recall", (row) => row.recall.toFixed(3)],
      ["with the goal", (row) => percent(row.goal, 0)],
      ["constraint words", (row) => decimals(row.constraints)],
      ["control", (row) => decimals(row.control)],
      ["broken rules", (row) => row.illegal],
      ["mean prompt", (row) => Math.round(row.mean)],
      ["peak", (row) => Math.round(row.peak)],
      ["of it in the cache", (row) => percent(row.stable, 0)],
      ["prefix breaks", (row) => row.breaks],
      ["bill, full history = 1", (row) => ofFull(row, row.bill)],
      ["summary calls", (row) => ofFull(row, row.summaries)],
      ["to read again", (row) => Math.round(row.reRead)],
      ["whole bill", (row) => ofFull(row, row.whole)],
    ],
    note:
      "Tokens are characters / 4, without system prompt and tool schemas. Recall: share of what a call needs that stands in its context, word for word. " +
      "Goal: the first and the latest user message word for word. Constraint words: of the user's sentences with never, must, only and the " +
      "like, the share in what is sent as the user's or the system's words. Control: the same for the constraints of another run. Broken " +
      "rules: of providers, such as a call without its result, in every eighth prompt. Bill: 1.25 for a token that is new to the cache, 0.1 for " +
      "one in it; summary calls at 1 for a token read and 5 for one written. To read again: for all that a call needs and its context lacks, " +
      "the smallest messages that have it; at least that would have to be read once more, at 1.25, and asked for in an extra call, which " +
      "sends the cached prompt once more and writes 40 tokens. An agent may read more.",
  });
}
