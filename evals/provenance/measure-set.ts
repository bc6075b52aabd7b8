import { farDistance, stepsOf, type Step } from "../data/steps.js";
import type { RunSet } from "../data/run-sets.js";
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

export interface MeasureSetOptions {
  readonly budgets: readonly number[];
  /** Further budgets for policies that compact, so that they can be compared at equal mean tokens. */
  readonly windows: readonly number[];
  readonly seeds: readonly number[];
  /** Measures these policies alone. @default all */
  readonly only?: readonly Policy[];
  readonly progress: (line: string) => void;
}

/** Returns the recall of every policy at every budget, over the runs of a set. */
export async function measureSet(set: RunSet, options: MeasureSetOptions): Promise<SetRecall> {
  const { budgets, windows, seeds, only, progress } = options;
  const runs = set.trajectories.map(stepsOf);
  const all: readonly (readonly [Policy, number | undefined])[] = [
    ...unbudgetedPolicies.map((policy) => [policy, undefined] as const),
    ...[...selectionPolicies, ...predictedPolicies].flatMap((policy) =>
      budgets.map((budget) => [policy, budget] as const),
    ),
    ...compactionPolicies.flatMap((policy) =>
      [...budgets, ...windows].map((budget) => [policy, budget] as const),
    ),
  ];
  const plays = all.filter(([policy]) => only?.includes(policy) ?? true);
  const recalls: PolicyRecall[] = [];
  for (const [index, [policy, budget]] of plays.entries()) {
    progress(
      `${index}/${plays.length} ${set.name}, ${policy.name}${budget === undefined ? "" : ` at ${budget}`}`,
    );
    const how = {
      seeds: policy === randomRetention ? seeds : [1],
      ...(budget === undefined ? {} : { budget }),
    };
    recalls.push(await measurePolicy(runs, policy, how));
  }
  return { set: set.name, runs: runs.length, ...countsOf(runs.flat()), budgets, recalls };
}

function countsOf(steps: readonly Step[]) {
  return {
    steps: steps.filter(({ needed }) => needed.length > 0).length,
    farSteps: steps.filter(({ needed }) => needed.some(({ distance }) => distance > farDistance)).length,
    atoms: steps.reduce((sum, { atoms }) => sum + atoms, 0),
    grounded: steps.reduce((sum, { needed }) => sum + needed.length, 0),
  };
}
