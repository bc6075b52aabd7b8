import { palimpsestFolding } from "../policies/folding.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { recency } from "../policies/recency.js";
import { shareRange } from "../report/format-value.js";
import { tableOf, type Column } from "../report/table-of.js";
import { mean } from "../metrics/quantile.js";
import type { Table } from "../suite.js";
import { recallOf } from "./measure-policy.js";
import type { SetRecall } from "./measure-set.js";

const strategies = {
  compactionNode: palimpsestLadder.name,
  foldNode: palimpsestFolding.name,
  predictiveContextNode: predictiveNode().name,
};

/** Returns what each strategy keeps of what the next call of a coding agent needs, over the recorded sets where there are any. */
export function codingChoices(sets: readonly SetRecall[]): Table {
  const recorded = sets.filter(({ set }) => set !== "generated");
  const read = recorded.length > 0 ? recorded : sets;
  const range = (kind: "all" | "far", window: number) => (policy: string) =>
    shareRange(read.map(({ recalls }) => recallOf(recalls, policy, window)?.[kind]?.mean));
  const columns = [8_000, 32_000].flatMap((window): Column<readonly [string, string]>[] => [
    [`window of ${window.toLocaleString("en")}`, ([, policy]) => range("all", window)(policy)],
    ["of it, from far back", ([, policy]) => range("far", window)(policy)],
  ]);
  return tableOf(Object.entries(strategies), {
    title: "Coding",
    columns: [["strategy", ([name]) => name], ...columns],
    note: `Share of what the next call uses that is in the prompt. Runs: ${read.map(({ set }) => set).join(", ")}; lowest and highest where there are several. From far back: last seen more than 10 steps before. What is not in the prompt is in the archive. predictiveContextNode fills the window; the others stay below their trigger.`,
  });
}

/** Returns far evidence as the mean of the sets beside the worst set, which a mean hides. */
export function worstSetTable(sets: readonly SetRecall[], budgets: readonly number[]): Table {
  const farOf = (policy: string, budget: number) =>
    sets
      .map(({ set, recalls }) => ({ set, far: recallOf(recalls, policy, budget)?.far?.mean ?? Number.NaN }))
      .filter(({ far }) => !Number.isNaN(far))
      .toSorted((one, other) => one.far - other.far);
  const columns = budgets.flatMap((budget): Column<string>[] => [
    [`${budget / 1_000}k`, (policy) => mean(farOf(policy, budget).map(({ far }) => far)).toFixed(3)],
    [
      `${budget / 1_000}k, worst`,
      (policy) =>
        farOf(policy, budget)
          .slice(0, 1)
          .map(({ set, far }) => `${far.toFixed(3)} (${set})`)[0] ?? "–",
    ],
  ]);
  const { predictiveContextNode: node, compactionNode: ladder, foldNode: folding } = strategies;
  return tableOf([node, ladder, folding, recency.name], {
    title: "What the next call needs from more than 10 chunks ago: mean of the sets, and the worst set",
    columns: [["policy", (policy) => policy], ...columns],
    note: `Sets: ${sets.map(({ set }) => set).join(", ")}.`,
  });
}
