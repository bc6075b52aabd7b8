import type { Estimate } from "../metrics/estimate.js";
import type { Chart, SuiteResult, Table } from "../suite.js";
import type { PolicyRecall } from "./measure-policy.js";
import type { SetRecall } from "./measure-set.js";
import { recallAtTokens } from "./recall-at-tokens.js";
import { recallKinds, type RecallKind } from "./recall-kinds.js";
import { isReproduced, type Reproduced } from "./reproduction.js";
import { tableOf } from "../report/table-of.js";
import { withInterval } from "../report/format-value.js";

const bias =
  "Tokens are characters / 4. Budgets are equal; what a policy used on average stands in brackets. Mean over steps, with " +
  "a 95 % bootstrap interval over runs and blocks of 10 steps. The runs come from agents that saw nearly everything, " +
  "which favours full history and recency; and what is there need not be used. The oracle is the ceiling of choices of whole " +
  "steps: a choice of blocks of lines may be above it. PACE has no hard budget.";

/** Returns a table of one kind of recall: a row for each policy, a column for each budget. */
export function recallTable(measured: SetRecall, kind: RecallKind): Table {
  const { set, runs, recalls, budgets } = measured;
  const names = [...new Set(recalls.map(({ policy }) => policy))];
  const rows = names.map((policy) => {
    const own = recalls.filter((recall) => recall.policy === policy);
    const free = own.find(({ budget }) => budget === undefined);
    const cells = budgets.map((budget) => own.find((recall) => recall.budget === budget));
    return [policy, cell(free, kind), ...cells.map((recall) => cell(recall, kind))];
  });
  const count = recalls[0]?.[kind]?.count ?? 0;
  return {
    title: `${set}: ${recallKinds[kind]}, share in the context`,
    columns: ["policy", "no budget", ...budgets.map((budget) => `${budget / 1_000}k`)],
    rows,
    note: `${runs} runs, ${count} steps. ${bias}`,
  };
}

function cell(recall: PolicyRecall | undefined, kind: RecallKind): string {
  const estimate = recall?.[kind];
  return recall === undefined || estimate === undefined
    ? "–"
    : `${withInterval(estimate)} [${(recall.tokens / 1_000).toFixed(1)}k]`;
}

/** Returns the published baselines beside ours: whether this harness measures what others measured. */
export function reproductionTable(reproduced: readonly Reproduced[]): Table {
  return tableOf(reproduced, {
    title: "Published baselines, reproduced",
    columns: [
      ["set", (one) => one.set],
      ["policy", (one) => one.policy],
      ["budget", (one) => one.budget],
      ["published", (one) => one.published.toFixed(3)],
      ["measured", (one) => one.measured.toFixed(3)],
      ["difference", (one) => (one.measured - one.published).toFixed(3)],
      ["reproduced", (one) => (isReproduced(one) ? "yes" : "NO")],
    ],
    note: "Reproduced is what differs by at most .02. The published control is one draw, ours the mean of ten: there it is .03.",
  });
}

/** Returns recall against the tokens that each policy used on average. */
export function recallChart({ set, recalls }: SetRecall, kind: RecallKind): Chart {
  const names = [...new Set(recalls.map(({ policy }) => policy))];
  return {
    title: `${set}: ${recallKinds[kind]}`,
    x: { label: "mean tokens of the context", scale: "log" },
    y: { label: "share in the context", scale: "linear" },
    series: names.map((label) => ({
      label,
      points: recalls
        .filter(({ policy }) => policy === label)
        .flatMap((recall) => pointOf(recall, recall[kind]))
        .toSorted((one, other) => one.x - other.x),
    })),
    note: bias,
  };
}

function pointOf({ tokens }: PolicyRecall, estimate: Estimate | undefined) {
  if (estimate === undefined) return [];
  return [{ x: Math.round(tokens), y: estimate.mean, low: estimate.low, high: estimate.high }];
}

/** One row of the verdict: which of ours, over which needs, at the mean tokens that it has at a budget. */
export interface ComparedRecall {
  readonly ours: string;
  readonly kind: RecallKind;
  readonly budget: number;
  /** Policies that are no rivals. */
  readonly controls: readonly string[];
}

/**
 * Returns one of ours beside the alternatives, at its mean tokens. `tooSmall` says so when the set has no such needs, or no
 * alternative was measured around that size.
 */
export function recallComparison(
  { set, recalls }: SetRecall,
  { ours, kind, budget, controls }: ComparedRecall,
): Pick<SuiteResult, "comparisons" | "tooSmall"> {
  const at = recalls.find((recall) => recall.policy === ours && recall.budget === budget);
  const own = at?.[kind];
  if (at === undefined) return {};
  const size = at.tokens < 10_000 ? (at.tokens / 1_000).toFixed(1) : Math.round(at.tokens / 1_000);
  const measure = `share of ${recallKinds[kind]} in the context, ${ours}, at a mean of ${size}k tokens, ${set}`;
  if (own === undefined) return { tooSmall: [`${measure}: no step has such needs.`] };
  const names = [...new Set(recalls.map(({ policy }) => policy))].filter(
    (name) => !name.startsWith("Palimpsest") && !controls.includes(name),
  );
  const rivals = names.flatMap((name) => {
    const others = recalls.filter(({ policy }) => policy === name);
    const value = recallAtTokens(others, at.tokens, kind);
    return value === undefined ? [] : [{ name, value }];
  });
  if (rivals.length === 0)
    return { tooSmall: [`${measure}: no other policy was measured around that size.`] };
  const comparison = { unit: "share", better: "higher", ours: own.mean, margin: 0.02 } as const;
  return { comparisons: [{ measure, rivals, ...comparison }] };
}
