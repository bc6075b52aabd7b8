import type { Chart, SuiteResult, Table } from "../suite.js";
import {
  recallAtTokens,
  recallKinds,
  recallOf,
  type PolicyRecall,
  type RecallKind,
} from "./measure-policy.js";
import type { SetRecall } from "./measure-set.js";
import { groupsOf } from "../metrics/groups-of.js";
import { tableOf, type Column } from "../report/table-of.js";
import { withInterval } from "../report/format-value.js";

const bias =
  "Tokens are characters / 4. Budgets are equal; what a policy used on average stands in brackets. Mean over steps, with " +
  "a 95 % bootstrap interval over runs and blocks of 10 steps. The runs come from agents that saw nearly everything, " +
  "which favours full history and recency; and what is there need not be used. The oracle is the ceiling of choices of whole " +
  "steps: a choice of blocks of lines may be above it. PACE has no hard budget.";

/** Returns a table of one kind of recall: a row for each policy, a column for each budget. */
export function recallTable({ set, runs, recalls, budgets }: SetRecall, kind: RecallKind): Table {
  type Policies = readonly [policy: string, own: readonly PolicyRecall[]];
  const columnOf = (head: string, budget?: number): Column<Policies> => [
    head,
    ([policy, own]) => cell(recallOf(own, policy, budget), kind),
  ];
  return tableOf(
    groupsOf(recalls, ({ policy }) => policy),
    {
      title: `${set}: ${recallKinds[kind]}, share in the context`,
      columns: [
        ["policy", ([policy]) => policy],
        columnOf("no budget"),
        ...budgets.map((budget) => columnOf(`${budget / 1_000}k`, budget)),
      ],
      note: `${runs} runs, ${recalls[0]?.[kind]?.count ?? 0} steps. ${bias}`,
    },
  );
}

function cell(recall: PolicyRecall | undefined, kind: RecallKind): string {
  const estimate = recall?.[kind];
  return recall === undefined || estimate === undefined
    ? "–"
    : `${withInterval(estimate)} [${(recall.tokens / 1_000).toFixed(1)}k]`;
}

/** Returns recall against the tokens that each policy used on average. */
export function recallChart({ set, recalls }: SetRecall, kind: RecallKind): Chart {
  return {
    title: `${set}: ${recallKinds[kind]}`,
    x: { label: "mean tokens of the context", scale: "log" },
    y: { label: "share in the context", scale: "linear" },
    series: groupsOf(recalls, ({ policy }) => policy).map(([label, own]) => ({
      label,
      points: own
        .flatMap(({ tokens, [kind]: recall }) =>
          recall === undefined
            ? []
            : [{ x: Math.round(tokens), y: recall.mean, low: recall.low, high: recall.high }],
        )
        .toSorted((one, other) => one.x - other.x),
    })),
    note: bias,
  };
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
  const at = recallOf(recalls, ours, budget);
  const own = at?.[kind];
  if (at === undefined) return {};
  const size = at.tokens < 10_000 ? (at.tokens / 1_000).toFixed(1) : Math.round(at.tokens / 1_000);
  const measure = `share of ${recallKinds[kind]} in the context, ${ours}, at a mean of ${size}k tokens, ${set}`;
  if (own === undefined) return { tooSmall: [`${measure}: no step has such needs.`] };
  const others = groupsOf(recalls, ({ policy }) => policy).filter(
    ([name]) => !name.startsWith("Palimpsest") && !controls.includes(name),
  );
  const rivals = others.flatMap(([name, theirs]) => {
    const value = recallAtTokens(theirs, at.tokens, kind);
    return value === undefined ? [] : [{ name, value }];
  });
  if (rivals.length === 0)
    return { tooSmall: [`${measure}: no other policy was measured around that size.`] };
  const comparison = { unit: "share", better: "higher", ours: own.mean, margin: 0.02 } as const;
  return { comparisons: [{ measure, rivals, ...comparison }] };
}
