import type { Estimate } from "../metrics/estimate.js";
import type { Chart, SuiteResult, Table } from "../suite.js";
import type { PolicyRecall } from "./measure-policy.js";
import type { SetRecall } from "./measure-set.js";
import { recallAtTokens } from "./recall-at-tokens.js";
import { recallKinds, type RecallKind } from "./recall-kinds.js";
import { isReproduced, type Reproduced } from "./reproduction.js";

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
    : `${show(estimate)} [${(recall.tokens / 1_000).toFixed(1)}k]`;
}

function show({ mean, low, high }: Estimate): string {
  return `${mean.toFixed(3)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

/** Returns the published baselines beside ours: whether this harness measures what others measured. */
export function reproductionTable(reproduced: readonly Reproduced[]): Table {
  return {
    title: "Published baselines, reproduced",
    columns: ["set", "policy", "budget", "published", "measured", "difference", "reproduced"],
    rows: reproduced.map((one) => [
      one.set,
      one.policy,
      one.budget,
      one.published.toFixed(3),
      one.measured.toFixed(3),
      (one.measured - one.published).toFixed(3),
      isReproduced(one) ? "yes" : "NO",
    ]),
    note: "Reproduced is what differs by at most .02. The published control is one draw, ours the mean of ten: there it is .03.",
  };
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

/**
 * Returns our ladder beside the alternatives, at the mean tokens of the ladder in a window of 32k. `tooSmall` says so when
 * no alternative was measured around that size.
 */
export function recallComparison(
  { set, recalls }: SetRecall,
  ours: string,
  control: readonly string[],
): Pick<SuiteResult, "comparisons" | "tooSmall"> {
  const own = recalls.filter(({ policy }) => policy === ours);
  const at = own.find(({ budget }) => budget === 32_000);
  if (at?.all === undefined) return {};
  const names = [...new Set(recalls.map(({ policy }) => policy))].filter(
    (name) => !name.startsWith("Palimpsest") && !control.includes(name),
  );
  const rivals = names.flatMap((name) => {
    const value = recallAtTokens(
      recalls.filter(({ policy }) => policy === name),
      at.tokens,
    );
    return value === undefined ? [] : [{ name, value }];
  });
  const kilo = Math.round(at.tokens / 1_000);
  const measure = `recall of what the next call needs, at a mean of ${kilo}k tokens, ${set}`;
  if (rivals.length === 0)
    return { tooSmall: [`${measure}: no other policy was measured around that size.`] };
  const comparison = { unit: "share", better: "higher", ours: at.all.mean, margin: 0.02 } as const;
  return { comparisons: [{ measure, rivals, ...comparison }] };
}
