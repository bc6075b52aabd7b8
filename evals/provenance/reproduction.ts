import { randomRetention } from "../policies/recency.js";
import { tableOf } from "../report/table-of.js";
import type { Table } from "../suite.js";
import { recallOf } from "./measure-policy.js";
import type { SetRecall } from "./measure-set.js";

/** Earlier measurements of the baselines on public copies of recorded sets: what this harness must reproduce. */
interface PublishedSet {
  /** Runs and steps with needs of the copy; on another the values do not apply. */
  readonly runs: number;
  readonly steps: number;
  /** Recall of all atoms at 4k, 8k, 16k and 32k tokens. */
  readonly budgeted: Readonly<Record<string, readonly number[]>>;
  readonly unbudgeted: Readonly<Record<string, number>>;
}

export const publishedBudgets = [4_000, 8_000, 16_000, 32_000];

const published: Readonly<Record<string, PublishedSet>> = {
  "claude-code-sessions": {
    runs: 3,
    steps: 349,
    budgeted: {
      recency: [0.762, 0.836, 0.907, 0.955],
      "random (control)": [0.729, 0.8, 0.851, 0.937],
      BM25: [0.718, 0.796, 0.863, 0.938],
      "tf-idf cosine": [0.735, 0.808, 0.878, 0.949],
      "recency/2 + BM25/2": [0.765, 0.841, 0.908, 0.965],
      "oracle (ceiling)": [0.901, 0.966, 0.986, 1],
    },
    unbudgeted: { "drop tool results": 0.827, "mask M = 10": 0.966, "last 10 steps": 0.788 },
  },
  "pi-sessions": {
    runs: 1,
    steps: 351,
    budgeted: {
      recency: [0.861, 0.894, 0.934, 0.962],
      "random (control)": [0.719, 0.783, 0.853, 0.922],
      BM25: [0.818, 0.883, 0.911, 0.957],
      "tf-idf cosine": [0.845, 0.896, 0.938, 0.973],
      "recency/2 + BM25/2": [0.862, 0.913, 0.95, 0.975],
      "oracle (ceiling)": [0.982, 0.993, 1, 1],
    },
    unbudgeted: { "drop tool results": 0.833, "mask M = 10": 0.95, "last 10 steps": 0.815 },
  },
};

/** A published value beside ours. */
export interface Reproduced {
  readonly set: string;
  readonly policy: string;
  readonly budget: number | "none";
  readonly published: number;
  readonly measured: number;
  /** It is within two points of the published one. The published control is a single draw: there it is three. */
  readonly isReproduced: boolean;
}

/** Returns published recalls beside ours at the budgets that were played, for sets with the runs of the published copy. */
export function reproductionOf({ set, runs, steps, budgets, recalls }: SetRecall): readonly Reproduced[] {
  const known = published[set];
  if (known === undefined || known.runs !== runs || Math.abs(steps - known.steps) > 5) return [];
  const compared = (policy: string, value: number, budget?: number): Reproduced => {
    const measured = recallOf(recalls, policy, budget)?.all?.mean ?? Number.NaN;
    const isReproduced = Math.abs(value - measured) <= (policy === randomRetention.name ? 0.03 : 0.02);
    return { set, policy, budget: budget ?? "none", published: value, measured, isReproduced };
  };
  return [
    ...Object.entries(known.unbudgeted).map(([policy, value]) => compared(policy, value)),
    ...Object.entries(known.budgeted).flatMap(([policy, values]) =>
      publishedBudgets.flatMap((budget, at) =>
        budgets.includes(budget) ? [compared(policy, values[at] ?? Number.NaN, budget)] : [],
      ),
    ),
  ];
}

/** Returns the published baselines beside ours, where there are any: whether this harness measures what others measured. */
export function reproductionTables(reproduced: readonly Reproduced[]): readonly Table[] {
  if (reproduced.length === 0) return [];
  const table = tableOf(reproduced, {
    title: "Published baselines, reproduced",
    columns: [
      ["set", (one) => one.set],
      ["policy", (one) => one.policy],
      ["budget", (one) => one.budget],
      ["published", (one) => one.published.toFixed(3)],
      ["measured", (one) => one.measured.toFixed(3)],
      ["difference", (one) => (one.measured - one.published).toFixed(3)],
      ["reproduced", (one) => (one.isReproduced ? "yes" : "NO")],
    ],
    note: "Reproduced is what differs by at most .02. The published control is one draw, ours the mean of ten: there it is .03.",
  });
  return [table];
}
