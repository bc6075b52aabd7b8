import { farDistance, stepsOf } from "../data/steps.js";
import type { RunSet } from "../data/run-sets.js";
import { sumOf } from "../metrics/sum-of.js";
import {
  compactionPolicies,
  predictedPolicies,
  selectionPolicies,
  unbudgetedPolicies,
} from "../policies/policies.js";
import type { Policy } from "../policies/policy.js";
import { randomRetention } from "../policies/recency.js";
import { measurePolicy, type PolicyRecall } from "./measure-policy.js";

export interface SetRecall {
  readonly set: string;
  readonly runs: number;
  /** Steps that need something which was in the thread, and those that need something far. */
  readonly steps: number;
  readonly farSteps: number;
  readonly atoms: number;
  readonly grounded: number;
  readonly budgets: readonly number[];
  readonly recalls: readonly PolicyRecall[];
}

/** How a set is measured. */
export interface SetScale {
  readonly budgets: readonly number[];
  /** Further budgets for policies that compact, so that they can be compared at equal mean tokens. */
  readonly windows: readonly number[];
  readonly seeds: readonly number[];
  /** Measures these policies alone. @default all */
  readonly only?: readonly Policy[];
}

/** Returns the recall of every policy at every budget, over the runs of a set. */
export async function measureSet(
  { name, trajectories }: RunSet,
  { budgets, windows, seeds, only }: SetScale,
  progress: (line: string) => void,
): Promise<SetRecall> {
  const runs = trajectories.map(stepsOf);
  const plays = [
    ...atEach(unbudgetedPolicies, [undefined]),
    ...atEach([...selectionPolicies, ...predictedPolicies], budgets),
    ...atEach(compactionPolicies, [...budgets, ...windows]),
  ].filter(({ policy }) => only?.includes(policy) ?? true);
  const recalls: PolicyRecall[] = [];
  for (const { policy, budget } of plays) {
    const where = budget === undefined ? "" : ` at ${budget}`;
    progress(`${recalls.length}/${plays.length} ${name}, ${policy.name}${where}`);
    const how = { seeds: policy === randomRetention ? seeds : [1], budget };
    recalls.push(await measurePolicy(runs, policy, how));
  }
  const steps = runs.flat();
  return {
    set: name,
    runs: runs.length,
    steps: steps.filter(({ needed }) => needed.length > 0).length,
    farSteps: steps.filter(({ needed }) => needed.some(({ distance }) => distance > farDistance)).length,
    atoms: sumOf(steps, ({ atoms }) => atoms),
    grounded: sumOf(steps, ({ needed }) => needed.length),
    budgets,
    recalls,
  };
}

function atEach(policies: readonly Policy[], budgets: readonly (number | undefined)[]) {
  return policies.flatMap((policy) => budgets.map((budget) => ({ policy, budget })));
}
