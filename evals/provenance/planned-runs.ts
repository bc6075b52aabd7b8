import { generatePlannedRun } from "./generate-planned-run.js";
import { stepsOf } from "../data/steps.js";
import { compactionPolicies } from "../policies/policies.js";
import { palimpsestFolding } from "../policies/folding.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { recency } from "../policies/recency.js";
import { decimals } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";
import type { Table } from "../suite.js";
import { groupsOf } from "../metrics/groups-of.js";
import { measurePolicy, recallOf, type PolicyRecall } from "./measure-policy.js";

/** The bounds of a plan were chosen with seeds 1 and 2. */
const seeds = [3, 4];
const budgets = [8_000, 32_000];
const ours = [palimpsestLadder.name, palimpsestFolding.name, predictiveNode().name];

/** Returns what each system keeps on generated runs whose plan stands in one message. */
export async function measurePlanned(quick: boolean): Promise<readonly PolicyRecall[]> {
  const runs = (quick ? seeds.slice(0, 1) : seeds).map((seed) => stepsOf(generatePlannedRun(seed)));
  const recalls: PolicyRecall[] = [];
  for (const policy of [recency, ...compactionPolicies, predictiveNode()])
    for (const budget of budgets) recalls.push(await measurePolicy(runs, policy, { budget }));
  return recalls;
}

/** Each of our strategies has nearly all of what is far, in a small window as well. */
export function keepsPlans(recalls: readonly PolicyRecall[]): boolean {
  return ours.every((policy) => budgets.every((budget) => farOf(recalls, policy, budget) >= 0.95));
}

export function plannedTable(recalls: readonly PolicyRecall[]): Table {
  return tableOf(
    groupsOf(recalls, ({ policy }) => policy),
    {
      title: "A plan in one message: what the next call needs from more than 10 chunks ago",
      columns: [
        ["policy", ([policy]) => policy],
        ["8k", ([policy]) => decimals(farOf(recalls, policy, 8_000))],
        ["32k", ([policy]) => decimals(farOf(recalls, policy, 32_000))],
      ],
      note: "Generated runs of a coding agent that writes 30 check-boxes in one call, works through them, and ticks each by an edit of its line.",
    },
  );
}

function farOf(recalls: readonly PolicyRecall[], policy: string, budget: number): number {
  return recallOf(recalls, policy, budget)?.far?.mean ?? Number.NaN;
}
