import { randomRetention } from "../policies/recency.js";
import { published, publishedBudgets } from "./published.js";
import type { SetRecall } from "./measure-set.js";

/** A published value beside ours. */
export interface Reproduced {
  readonly set: string;
  readonly policy: string;
  readonly budget: number | "none";
  readonly published: number;
  readonly measured: number;
}

/** Largest allowed difference from the published value. The published control is a single draw. */
const tolerance = { choice: 0.02, control: 0.03 };

/** Returns published recalls beside ours at the budgets that were played, for sets with the runs of the published copy. */
export function reproductionOf({ set, runs, steps, budgets, recalls }: SetRecall): readonly Reproduced[] {
  const known = published[set];
  if (known === undefined || known.runs !== runs || Math.abs(steps - known.steps) > 5) return [];
  const measured = (policy: string, budget: number | undefined) =>
    recalls.find((one) => one.policy === policy && one.budget === budget)?.all?.mean ?? Number.NaN;
  const budgeted = Object.entries(known.budgeted).flatMap(([policy, values]) =>
    publishedBudgets.flatMap((budget, at) =>
      budgets.includes(budget)
        ? [{ set, policy, budget, published: values[at] ?? Number.NaN, measured: measured(policy, budget) }]
        : [],
    ),
  );
  const unbudgeted = Object.entries(known.unbudgeted).map(([policy, value]) => ({
    set,
    policy,
    budget: "none" as const,
    published: value,
    measured: measured(policy, undefined),
  }));
  return [...unbudgeted, ...budgeted];
}

/** True for a value within two points of the published one (the control: three); false for one that was not measured. */
export function isReproduced({ policy, published: expected, measured }: Reproduced): boolean {
  const most = policy === randomRetention.name ? tolerance.control : tolerance.choice;
  return Math.abs(expected - measured) <= most;
}
