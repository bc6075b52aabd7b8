import type { Policy } from "../policies/policy.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { shareRange } from "../report/format-value.js";
import type { Table } from "../suite.js";
import type { VariantRecall } from "./report-predictive.js";
import { tableOf } from "../report/table-of.js";

/** Returns what a predictive context keeps when it is selected anew more or less often. */
export function intervalChoices(recalls: readonly VariantRecall[], budget: number): Table {
  const recorded = recalls.filter(({ set }) => set !== "generated");
  const read = (recorded.length > 0 ? recorded : recalls).filter((one) => one.budget === budget);
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
    note: `Share of what the next call uses in a context of ${budget.toLocaleString("en")} tokens. Runs: ${[...new Set(read.map(({ set }) => set))].join(", ")}; lowest and highest where there are several. In the cache: the share of a prompt that is also the beginning of the one before.`,
  });
}
