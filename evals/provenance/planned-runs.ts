import { generatePlannedRun } from "./generate-planned-run.js";
import { stepsOf } from "../data/steps.js";
import { compactionPolicies } from "../policies/policies.js";
import { palimpsestFolding } from "../policies/folding.js";
import { palimpsestLadder } from "../policies/palimpsest-ladder.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { recency } from "../policies/recency.js";
import type { Table } from "../suite.js";
import { measurePolicy, type PolicyRecall } from "./measure-policy.js";

/** The bounds of a plan were chosen with seeds 1 and 2. */
const seeds = [3, 4];
const budgets = [8_000, 32_000];
const ours: readonly string[] = [palimpsestLadder.name, palimpsestFolding.name, predictiveNode().name];

/** Returns what each system keeps on generated runs whose plan stands in one message. */
export async function measurePlanned(quick: boolean): Promise<readonly PolicyRecall[]> {
  const runs = (quick ? seeds.slice(0, 1) : seeds).map((seed) => stepsOf(generatePlannedRun({ seed })));
  const recalls: PolicyRecall[] = [];
  for (const policy of [recency, ...compactionPolicies, predictiveNode()])
    for (const budget of budgets) recalls.push(await measurePolicy(runs, policy, { budget }));
  return recalls;
}

/** Each of our strategies has nearly all of what is far, in a small window as well. */
export function keepsPlans(recalls: readonly PolicyRecall[]): boolean {
  const own = recalls.filter(({ policy }) => ours.includes(policy));
  return own.length === ours.length * budgets.length && own.every(({ far }) => (far?.mean ?? 0) >= 0.95);
}

export function plannedTable(recalls: readonly PolicyRecall[]): Table {
  const names = [...new Set(recalls.map(({ policy }) => policy))];
  return {
    title: "A plan in one message: what the next call needs from more than 10 chunks ago",
    columns: ["policy", ...budgets.map((budget) => `${budget / 1_000}k`)],
    rows: names.map((name) => [
      name,
      ...budgets.map((budget) => {
        const own = recalls.find((recall) => recall.policy === name && recall.budget === budget);
        return own?.far === undefined ? "–" : own.far.mean.toFixed(3);
      }),
    ]),
    note: "Generated runs of a coding agent that writes 30 check-boxes in one call, works through them, and ticks each by an edit of its line.",
  };
}
