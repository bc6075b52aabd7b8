import type { Comparison, Table } from "../suite.js";
import { situations, type MeteredPrompt, type Situation } from "./metered-prompt.js";
import { percent } from "../report/format-value.js";
import { quantile } from "../metrics/quantile.js";
import { tableOf } from "../report/table-of.js";

/** The errors of a meter over the prompts of a set in one situation, as shares of the real tokens. */
export interface MeterRow {
  readonly set: string;
  readonly meter: string;
  readonly isOurs: boolean;
  readonly situation: Situation;
  readonly prompts: number;
  readonly median: number;
  readonly p95: number;
  /** Median of estimate / real. */
  readonly ratio: number;
  /** Share of prompts under-counted by more than a tenth: there a trigger fires too late. */
  readonly under: number;
}

/** Largest 95th percentile of our meter, and its largest share of the best rival's. */
const asked: Readonly<Record<Situation, { readonly p95: number; readonly ofBest: number }>> = {
  "as it grows": { p95: 0.05, ofBest: 1 },
  "right after a fold": { p95: 0.15, ofBest: 0.5 },
  // What the next model counts is known from its first usage on.
  "at a change of model": { p95: 0.25, ofBest: 1 },
  "after a change of model": { p95: 0.05, ofBest: 0.5 },
};

/** Returns the errors of the ratios estimate / real. */
export function meterRow(
  names: Pick<MeterRow, "set" | "meter" | "isOurs" | "situation">,
  ratios: readonly number[],
): MeterRow {
  const errors = ratios.map((ratio) => Math.abs(ratio - 1));
  return {
    ...names,
    prompts: ratios.length,
    median: quantile(errors, 0.5),
    p95: quantile(errors, 0.95),
    ratio: quantile(ratios, 0.5),
    under: ratios.filter((ratio) => ratio < 0.9).length / ratios.length,
  };
}

/** Fewest prompts whose 95th percentile is more than their one worst. */
const fewest = 30;

/** True where our meter is within the bar, and as far ahead of the best rival as asked. Few prompts tell their median alone. */
export function holds(own: MeterRow, rows: readonly MeterRow[]): boolean {
  const { p95, ofBest } = asked[own.situation];
  if (own.prompts < fewest) return own.median <= p95;
  return own.p95 <= p95 && own.p95 <= ofBest * bestOf(own, rows);
}

function bestOf(own: MeterRow, rows: readonly MeterRow[]): number {
  return Math.min(...rivalsOf(own, rows).map(({ p95 }) => p95));
}

function rivalsOf(own: MeterRow, rows: readonly MeterRow[]): readonly MeterRow[] {
  return rows.filter(
    ({ set, situation, isOurs }) => set === own.set && situation === own.situation && !isOurs,
  );
}

/** Compares the 95th percentile of our errors with that of every other meter. */
export function meterComparison(own: MeterRow, rows: readonly MeterRow[]): Comparison {
  return {
    measure: `error of the prompt size, 95th percentile, ${own.situation}, ${own.set}`,
    unit: "share",
    better: "lower",
    ours: own.p95,
    rivals: rivalsOf(own, rows).map(({ meter, p95 }) => ({ name: meter, value: p95 })),
    margin: 0.005,
  };
}

/** Returns the errors of every meter by set and situation. */
export function meterTable(rows: readonly MeterRow[]): Table {
  const sorted = rows.toSorted(
    (one, other) => situations.indexOf(one.situation) - situations.indexOf(other.situation),
  );
  return tableOf(sorted, {
    title: "Error of the prompt size, against what the provider reported",
    columns: [
      ["set", (row) => row.set],
      ["prompts that come", (row) => row.situation],
      ["meter", (row) => row.meter],
      ["prompts", (row) => row.prompts],
      ["median error", (row) => percent(row.median)],
      ["95 % of errors below", (row) => percent(row.p95)],
      ["of the best rival's", (row) => (row.isOurs ? percent(row.p95 / bestOf(row, rows)) : "–")],
      ["estimate / real", (row) => row.ratio.toFixed(2)],
      ["under-counted by > 10 %", (row) => percent(row.under)],
    ],
    note:
      "measureContext starts from the usage of the previous call. Right after a fold that usage no longer applies. In generated runs " +
      "the real node compacts in a window of 32,000 tokens, and the host changes the model every 20 calls; each model counts by what " +
      "text consists of, message by message, and one gets further tools in mid-run. In recorded runs a fold is a prompt of the same run a third as " +
      "long, whose reported usage is withheld. Recorded runs hold neither system prompt nor tool schemas (about 24,000 tokens of every " +
      "Claude Code prompt): a meter that does not learn from usage cannot know them. At a change of model: the first call of a model, of whose counting nothing is " +
      "known. After it: the second to the fifth call. Where old results are cleared, the host leaves the oldest out of what it sends and keeps the " +
      "messages: the usage lacks what their steps had added to it, by the record.",
  });
}

/** Returns how many prompts are over the window by the count of the provider. */
export function windowTable(sent: readonly MeteredPrompt[], over: readonly MeteredPrompt[]): Table {
  return {
    title: "Prompts over the window, in the provider's tokens",
    columns: ["prompts", "over the window", "largest, of the window"],
    rows: [[sent.length, over.length, percent(Math.max(...sent.map(shareOfWindow)))]],
    note: "The suite fails on one. The defaults compact at 85 % of the window, and earlier where reports have shown an error of the count.",
  };
}

function shareOfWindow({ inputTokens, contextWindow = Infinity }: MeteredPrompt): number {
  return inputTokens / contextWindow;
}
