import type { PolicyRecall } from "../provenance/measure-policy.js";
import type { Chart, Table } from "../suite.js";
import type { Growth } from "./growth-of.js";
import type { HorizonPoint } from "./measure-horizon.js";
import type { Watched } from "./watch-policy.js";
import { tableOf } from "../report/table-of.js";

/** What a policy kept on the runs of a set. */
export interface VariantRecall extends PolicyRecall, Watched {
  readonly set: string;
}

const levels = ["full", "detailed", "brief", "placeholder"] as const;

/** Returns the shares of past steps at each level of PACE. */
export function levelTable(growth: readonly Growth[]): Table {
  return {
    title: "PACE: share of past steps at each level",
    columns: ["runs", "lambda", ...levels],
    rows: growth.map(({ set, pressureGain, shares }) => [
      set,
      pressureGain,
      ...levels.map((level) => shares[level].toFixed(3)),
    ]),
    note: "Over all steps. Lambda is how much a full context or a long task tightens the thresholds. Words are hashed in place of an encoder, and representations are cut from the steps.",
  };
}

/** Returns what our policy keeps, with and without a selection that stays. */
export function reuseTable(recalls: readonly VariantRecall[], budget: number): Table {
  return tableOf(recalls, {
    title: `Reuse coverage: share of what the next call needs that is in the context, ${k(budget)} tokens`,
    columns: [
      ["policy", (one) => one.policy],
      ["runs", (one) => one.set],
      ["all", (one) => show(one.all)],
      ["far", (one) => show(one.far)],
      ["far, strict", (one) => one.strictFar.toFixed(3)],
      ["edit lines", (one) => show(one.lines)],
      ["prefix kept", (one) => one.prefix.toFixed(3)],
      ["mean tokens", (one) => Math.round(one.tokens)],
    ],
    note: "Shares, mean over steps. Far: last seen more than 10 steps ago. Strict: with its whole line and both lines beside it. Edit lines: the old lines of edits. Prefix kept: the share of a prompt that is also the beginning of the previous prompt, which a provider's cache bills at a tenth. Sticky: selects to that share of the budget, then waits until the budget is full. Predictive node: the same choice as an agent gets it, with the heads and archive paths of stand-ins within the budget and in the order of the thread; targetFraction 1 selects anew at each step. Tokens are of four characters. What is visible is not what a model uses. Generated runs ask for far strings nearly by chance, so there a choice by chance does as well; recorded runs (--data) are the ones to read.",
  });
}

/** Returns what each part of PACE is worth. */
export function ablationTable(recalls: readonly VariantRecall[], budget: number): Table {
  return tableOf(recalls, {
    title: `PACE: each part on and off, ${k(budget)} tokens`,
    columns: [
      ["PACE with", ({ policy }) => policy],
      ["runs", ({ set }) => set],
      ["all", ({ all }) => show(all)],
      ["far", ({ far }) => show(far)],
      ["edit lines", ({ lines }) => show(lines)],
      ["mean tokens", ({ tokens }) => Math.round(tokens)],
    ],
    note: "The published method: lambda 0.5, tau 0.3, four levels, three glimpses a step (here the three most similar steps, opened whole). It has no hard budget: a row that keeps more also sends more, so read its recall beside its tokens.",
  });
}

/** Returns what selections cost as a thread grows. */
export function costTable(points: readonly HorizonPoint[]): Table {
  return tableOf(points, {
    title: "Reuse coverage: time and memory over very long generated threads",
    columns: [
      ["steps", (one) => one.steps],
      ["budget", (one) => one.budget],
      ["largest context", (one) => Math.round(one.tokens)],
      ["selection ms, median", (one) => one.medianMs.toFixed(1)],
      ["slowest of 40", (one) => one.slowestMs.toFixed(1)],
      ["append ms, mean", (one) => one.appendMs.toFixed(2)],
      ["step ms", (one) => one.stepMs.toFixed(1)],
      ["heap MB", (one) => Math.round(one.heapMb)],
    ],
    note: "CPU milliseconds of this process. A step costs its append and, where the selection does not stay, a selection; step ms is their sum for a step with a new selection.",
  });
}

/** Returns how the context of PACE grows. */
export function growthChart(growth: readonly Growth[]): Chart {
  return {
    title: "PACE as published: size of the context by step",
    x: { label: "step", scale: "linear" },
    y: { label: "tokens of four characters", scale: "linear" },
    series: growth.map(({ set, pressureGain, points }) => ({
      label: `${set}, lambda ${pressureGain}`,
      points,
    })),
    note: "Mean over the runs that have not ended. PACE has no hard budget: a larger lambda bends the line but does not bound it.",
  };
}

/** Returns recall against the budget. */
export function recallCharts(recalls: readonly VariantRecall[]): readonly Chart[] {
  const sets = [...new Set(recalls.map(({ set }) => set))];
  return sets.flatMap((set) => {
    const own = recalls.filter((one) => one.set === set);
    const policies = [...new Set(own.map(({ policy }) => policy))];
    const chart = (kind: "all" | "far", title: string): Chart => ({
      title: `${title}, by budget: ${set}`,
      x: { label: "budget, tokens of four characters", scale: "log" },
      y: { label: "share in the context", scale: "linear" },
      series: policies.map((policy) => ({
        label: policy,
        points: own.flatMap((one) => {
          const estimate = one[kind];
          return one.policy !== policy || one.budget === undefined || estimate === undefined
            ? []
            : [{ x: one.budget, y: estimate.mean, low: estimate.low, high: estimate.high }];
        }),
      })),
      note: "Bands are 95 % bootstrap intervals. Higher at the same budget is better.",
    });
    return [
      chart("all", "What the next call needs"),
      chart("far", "What it needs from more than 10 steps ago"),
    ];
  });
}

function k(budget: number): string {
  return budget.toLocaleString("en");
}

/** Returns a mean as a cell of a table; nothing without one. */
export function show(value: { readonly mean: number } | undefined): string {
  return value?.mean.toFixed(3) ?? "";
}
