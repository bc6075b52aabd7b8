import { predictiveNode } from "../policies/predictive-node.js";
import { shareRange } from "../report/share-range.js";
import type { Table } from "../suite.js";
import type { VariantRecall } from "./report-predictive.js";

/** Returns what a predictive context keeps when it is selected anew more or less often. */
export function intervalChoices(recalls: readonly VariantRecall[], budget: number): Table {
  const recorded = recalls.filter(({ set }) => set !== "generated");
  const read = (recorded.length > 0 ? recorded : recalls).filter((one) => one.budget === budget);
  const rows = [
    ["the default: when the budget is full", predictiveNode()] as const,
    ["a new selection at every step", predictiveNode(1)] as const,
    ...[4, 8, 16].map((every) => [`every ${every}`, predictiveNode(undefined, "reuse", every)] as const),
  ];
  return {
    title: "Rewrites and recall",
    columns: ["predictiveContextNode", "in the prompt", "of it, from far back", "prompt in the cache"],
    rows: rows.map(([label, { name }]) => {
      const own = read.filter(({ policy }) => policy === name);
      return [
        label,
        shareRange(own.map(({ all }) => all?.mean)),
        shareRange(own.map(({ far }) => far?.mean)),
        shareRange(own.map(({ prefix }) => prefix)),
      ];
    }),
    note: `Share of what the next call uses in a context of ${budget.toLocaleString("en")} tokens. Runs: ${[...new Set(read.map(({ set }) => set))].join(", ")}; lowest and highest where there are several. In the cache: the share of a prompt that is also the beginning of the one before.`,
  };
}
