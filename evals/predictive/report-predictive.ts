import type { Policy } from "../policies/policy.js";
import { predictiveNode } from "../policies/predictive-node.js";
import type { PolicyRecall } from "../provenance/measure-policy.js";
import { shareRange } from "../report/format-value.js";
import type { Table } from "../suite.js";
import type { Watched } from "./watch-policy.js";
import { tableOf } from "../report/table-of.js";

/** What a policy kept on the runs of a set. */
export interface VariantRecall extends PolicyRecall, Watched {
  readonly set: string;
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

/** Returns what a predictive context keeps when it is selected anew more or less often. */
export function intervalChoices(recalls: readonly VariantRecall[], budget: number): Table {
  const recorded = recalls.filter(({ set }) => set !== "generated");
  const read = recorded.length > 0 ? recorded : recalls;
  const rows = [
    ["the default: when the budget is full", predictiveNode()] as const,
    ["a new selection at every step", predictiveNode(1)] as const,
    ...[4, 8, 16].map((every) => [`every ${every}`, predictiveNode(undefined, "reuse", every)] as const),
  ];
  type Share = (one: VariantRecall) => number | undefined;
  const range = ({ name }: Policy, share: Share) =>
    shareRange(read.filter(({ policy }) => policy === name).map(share));
  return tableOf(rows, {
    title: "Rewrites and recall",
    columns: [
      ["predictiveContextNode", ([label]) => label],
      ["in the prompt", ([, policy]) => range(policy, ({ all }) => all?.mean)],
      ["of it, from far back", ([, policy]) => range(policy, ({ far }) => far?.mean)],
      ["prompt in the cache", ([, policy]) => range(policy, ({ prefix }) => prefix)],
    ],
    note: `Share of what the next call uses in a context of ${k(budget)} tokens. Runs: ${[...new Set(read.map(({ set }) => set))].join(", ")}; lowest and highest where there are several. In the cache: the share of a prompt that is also the beginning of the one before.`,
  });
}

function k(budget: number): string {
  return budget.toLocaleString("en");
}

/** Returns a mean as a cell of a table; nothing without one. */
export function show(value: { readonly mean: number } | undefined): string {
  return value?.mean.toFixed(3) ?? "";
}
