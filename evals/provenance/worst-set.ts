import { palimpsestFolding } from "../policies/folding.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { recency } from "../policies/recency.js";
import type { Table } from "../suite.js";
import type { SetRecall } from "./measure-set.js";

const shown: readonly string[] = [
  predictiveNode().name,
  palimpsestLadder.name,
  palimpsestFolding.name,
  recency.name,
];

/** Returns far evidence as the mean of the sets beside the worst set, which a mean hides. */
export function worstSetTable(sets: readonly SetRecall[], budgets: readonly number[]): Table {
  return {
    title: "What the next call needs from more than 10 chunks ago: mean of the sets, and the worst set",
    columns: ["policy", ...budgets.flatMap((budget) => [`${budget / 1_000}k`, `${budget / 1_000}k, worst`])],
    rows: shown.map((policy) => [policy, ...budgets.flatMap((budget) => cells(sets, policy, budget))]),
    note: `Sets: ${sets.map(({ set }) => set).join(", ")}.`,
  };
}

function cells(sets: readonly SetRecall[], policy: string, budget: number): readonly string[] {
  const found = sets.flatMap(({ set, recalls }) => {
    const far = recalls.find((recall) => recall.policy === policy && recall.budget === budget)?.far;
    return far === undefined ? [] : [{ set, mean: far.mean }];
  });
  const [worst] = found.toSorted((a, b) => a.mean - b.mean);
  if (worst === undefined) return ["–", "–"];
  const mean = found.reduce((sum, one) => sum + one.mean, 0) / found.length;
  return [mean.toFixed(3), `${worst.mean.toFixed(3)} (${worst.set})`];
}
