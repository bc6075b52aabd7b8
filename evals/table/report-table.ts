import type { Estimate } from "../metrics/estimate.js";
import { versionOf } from "../report/environment.js";
import type { Chart, Table } from "../suite.js";
import { billMeasure, isPlayable, oursOf, recallMeasure, standingOf } from "./compare-rows.js";
import type { Picked } from "./picks.js";
import type { TableRow } from "./table-row.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";

const note =
  "Recall: share of what a call needs that is in its prompt, word for word. Whole bill, prompts of the full history = 1: prompts at 1.25 for a token that is new to " +
  "the provider's cache and 0.1 for one in it, summaries of the same scripted model at 1 read and 5 written, and reading again " +
  "what a prompt lacks. Brackets: 95 of 100 bootstrap resamples of runs and, in them, of blocks of ten calls. Beside ours, the compaction node: level where " +
  "the interval of the difference has zero in it. Cannot be sent: over the window, or empty. Broken rules: of at least one provider, in every eighth prompt. " +
  "Tokens are characters / 4.";

const notes = {
  defaults: `The first setting of each system: its default, or that of its documentation. ${note}`,
  tuned: `Of the four settings of each system, the one with the lowest whole bill on these runs, of those with the fewest prompts that cannot be sent and, if possible, no broken rule. ${note}`,
};

/** Returns one row for each system: the lowest bill first, then those that cannot be played in this window. */
export function pickedTable(picked: Picked): Table {
  const { set, window, choice } = picked;
  const ours = oursOf(picked);
  const rows = picked.rows.toSorted(
    (one, other) => Number(isPlayable(other)) - Number(isPlayable(one)) || one.bill.mean - other.bill.mean,
  );
  const besideOurs = (measure: typeof billMeasure) => (row: TableRow) =>
    row === ours ? "–" : standingOf(measure, row, ours);
  return tableOf(rows, {
    title: `${set}: ${choice}, window of ${window.toLocaleString("en")} tokens`,
    columns: [
      ["system", (row) => row.system.name],
      ["setting", (row) => row.setting],
      ["recall", (row) => interval(row.recall)],
      ["whole bill", (row) => interval(row.bill)],
      ["recall beside ours", besideOurs(recallMeasure)],
      ["bill beside ours", besideOurs(billMeasure)],
      ["with the goal", (row) => percent(row.goal, 0)],
      ["cannot be sent", (row) => `${row.unfit} of ${row.calls}`],
      ["broken rules", (row) => row.illegal],
      ["mean prompt", (row) => Math.round(row.tokens)],
      ["package", packageOf],
    ],
    note: notes[choice],
  });
}

/** Returns the bills of all systems that can be played against their recall, with the intervals of both. */
export function pickedChart({ set, window, choice, rows }: Picked): Chart {
  return {
    title: `${set}: ${choice}, window of ${window / 1_000}k`,
    x: { label: "share of what a call needs that is in its prompt", scale: "linear" },
    y: { label: "whole bill, full history = 1", scale: "log" },
    series: rows.filter(isPlayable).map(({ system, recall, bill }, at) => ({
      label: `${at + 1} ${system.name}`,
      points: [{ ...across(recall), y: bill.mean, low: bill.low, high: bill.high, text: String(at + 1) }],
    })),
    note: "Right and low is better. Lines are 95 % intervals. What has a prompt that cannot be sent is left out.",
  };
}

function across({ mean, low, high }: Estimate) {
  return { x: mean, xLow: low, xHigh: high };
}

/** On one line: its spaces do not break. */
function interval({ mean, low, high }: Estimate): string {
  return `${mean.toFixed(3)} [${low.toFixed(2)}, ${high.toFixed(2)}]`.replaceAll(" ", "\u00A0");
}

function packageOf({ system }: TableRow): string {
  if (system.package === undefined) return "–";
  return system.isOurs === true ? system.package : `${system.package} ${versionOf(system.package)}`;
}
