import type { Chart, Table } from "../suite.js";
import type { CostRow } from "./cost-row.js";
import { decimals, percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";

const units = "Tokens are characters / 4, without system prompt and tool schemas.";

/** Returns what each policy sends and bills. */
export function costTable(rows: readonly CostRow[]): Table {
  const ofFull = (row: CostRow, bill: number) => Number((bill / fullOf(row, rows)).toFixed(3));
  return tableOf(rows, {
    title: "What is sent and billed",
    columns: [
      ["set", (row) => row.set],
      ["window", (row) => row.window],
      ["system", (row) => row.system],
      ["setting", (row) => row.setting],
      ["summaries by", (row) => row.author],
      ["recall", (row) => row.recall.toFixed(3)],
      ["with the goal", (row) => percent(row.goal, 0)],
      ["mean prompt", (row) => Math.round(row.mean)],
      ["peak", (row) => Math.round(row.peak)],
      ["input tokens", (row) => Math.round(row.total)],
      ["of it in the cache", (row) => percent(row.stable, 0)],
      ["between compactions", (row) => percent(row.between)],
      ["prefix breaks", (row) => row.breaks],
      ["bill, full history = 1", (row) => ofFull(row, row.bill)],
      ["summary calls", (row) => ofFull(row, row.summaries)],
      ["to read again", (row) => Math.round(row.reRead)],
      ["calls to ask for it", (row) => row.extraCalls],
      ["whole bill", (row) => ofFull(row, row.whole)],
    ],
    note:
      `${units} Bill: 1.25 for a token that is new to the cache, 0.1 for one in it; summary calls at 1 for a token read and 5 for one ` +
      "written. Between compactions: share of the prompt before with which one begins that is not shorter. To read again: for all that a call needs and " +
      "its context lacks, the smallest messages that have it; at least that would have to be read once more, at 1.25, and asked for in " +
      "an extra call, which sends the cached prompt once more and writes 40 tokens. An agent may read more. Recall: share of what a call needs that stands in its context, word for word.",
  });
}

/** Returns what each policy keeps of the user's words, and whether its prompts are legal. */
export function keepTable(rows: readonly CostRow[]): Table {
  return tableOf(rows, {
    title: "Goal, constraints and pairs",
    columns: [
      ["set", (row) => row.set],
      ["window", (row) => row.window],
      ["system", (row) => row.system],
      ["setting", (row) => row.setting],
      ["prompts", (row) => row.calls],
      ["with the goal", (row) => percent(row.goal)],
      ["constraint words", (row) => decimals(row.constraints)],
      ["control", (row) => decimals(row.control)],
      ["broken rules", (row) => row.illegal],
    ],
    note:
      "Goal: the first and the latest user message word for word. Constraint words: of the user's sentences with never, must, only and the " +
      "like, the share in what is sent as the user's or the system's words. Control: the same for the constraints of another run. Broken " +
      "rules: of providers, such as a call without its result, in every eighth prompt.",
  });
}

/** Runs without constraints are left out. */
/** Returns the sizes of the prompts, call by call. */
export function curveChart(rows: readonly CostRow[], set: string, window: number): Chart {
  const own = rows.filter(
    (row) => row.set === set && row.window === window && (row.setting === "–" || row.setting === "default"),
  );
  return {
    title: `${set}: size of the prompt at each call, window of ${window / 1_000}k`,
    x: { label: "model call", scale: "linear" },
    y: { label: "tokens", scale: "log" },
    series: own.map(({ system, curve }) => ({
      label: system,
      points: curve.map((tokens, at) => ({ x: at + 1, y: Math.max(1, Math.round(tokens)) })),
    })),
    note: `${units} Mean over the runs that have not ended. Default settings.`,
  };
}

function fullOf({ set, window }: CostRow, rows: readonly CostRow[]): number {
  return (
    rows.find((row) => row.set === set && row.window === window && row.system === "full history")?.bill ?? 1
  );
}
