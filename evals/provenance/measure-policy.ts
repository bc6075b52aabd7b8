import type { Step } from "../data/steps.js";
import { charsOverFour } from "../data/text-of.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import { playPolicy } from "../metrics/play-policy.js";
import { provenanceOf, type StepRecall } from "../metrics/provenance.js";
import type { Policy } from "../policies/policy.js";

/** The atoms over which a recall is computed. */
export const recallKinds = {
  all: "what the next call needs",
  far: "what the next call needs from more than 10 chunks ago",
  lines: "the lines that the next call edits",
} as const;
export type RecallKind = keyof typeof recallKinds;

/** What a policy kept of what the next step needs, at one budget. A kind that no step needs is absent. */
export interface PolicyRecall extends Partial<Record<RecallKind, Estimate>> {
  readonly policy: string;
  /** Undefined for a policy without one. */
  readonly budget?: number;
  /** Mean of the contexts, in tokens of four characters. */
  readonly tokens: number;
}

export interface MeasureOptions {
  readonly budget?: number | undefined;
  /** Seeds for a random policy. @default [1] */
  readonly seeds?: readonly number[];
}

/** Returns the recall of a policy over runs: the mean over the steps that need something, of all seeds. */
export async function measurePolicy(
  runs: readonly (readonly Step[])[],
  policy: Policy,
  { budget, seeds = [1] }: MeasureOptions = {},
): Promise<PolicyRecall> {
  const measured: StepRecall[][] = [];
  for (const steps of runs) {
    const recalls: StepRecall[] = [];
    for (const seed of seeds) recalls.push(...(await play(steps, policy, { budget: budget ?? 0, seed })));
    measured.push(recalls);
  }
  const estimate = (kind: RecallKind | "tokens") =>
    estimateOf(measured.map((recalls) => recalls.flatMap((recall) => recall[kind] ?? [])));
  const kinds = (Object.keys(recallKinds) as RecallKind[]).flatMap((kind) => {
    const recall = estimate(kind);
    return recall === undefined ? [] : [[kind, recall] as const];
  });
  return {
    policy: policy.name,
    ...(budget === undefined ? {} : { budget }),
    tokens: estimate("tokens")?.mean ?? 0,
    ...Object.fromEntries(kinds),
  };
}

async function play(
  steps: readonly Step[],
  policy: Policy,
  { budget, seed }: { readonly budget: number; readonly seed: number },
): Promise<readonly StepRecall[]> {
  const { system, rest } = withoutSystem(steps);
  const options = { budget: Math.max(0, budget - charsOverFour(system)), seed };
  const recalls: StepRecall[] = [];
  for await (const { step, context } of playPolicy(rest, policy, options)) {
    if (step.needed.length > 0) recalls.push(provenanceOf(step, [...system, ...context]));
  }
  return recalls;
}

/** Takes the system prompt out of a run: every host sends it, so it is in each context, and its tokens are in each budget. */
function withoutSystem(steps: readonly Step[]) {
  const [first, ...later] = steps;
  const system = first?.added.filter((message) => message.getType() === "system") ?? [];
  if (first === undefined || system.length === 0) return { system, rest: steps };
  const added = first.added.filter((message) => !system.includes(message));
  return { system, rest: [{ ...first, added }, ...later] };
}

/** Returns the recall of a policy at a budget; without a budget that of one which has none. */
export function recallOf(
  recalls: readonly PolicyRecall[],
  policy: string,
  budget?: number,
): PolicyRecall | undefined {
  return recalls.find((recall) => recall.policy === policy && recall.budget === budget);
}

/**
 * Returns the recall of needs of a kind that a policy has at a mean size of its contexts, between the two measured sizes
 * around it. Undefined outside of what was measured.
 */
export function recallAtTokens(
  recalls: readonly PolicyRecall[],
  tokens: number,
  kind: RecallKind = "all",
): number | undefined {
  const points = recalls
    .flatMap(({ tokens: x, [kind]: recall }) => (recall === undefined ? [] : [{ x, y: recall.mean }]))
    .toSorted((one, other) => one.x - other.x);
  const above = points.findIndex(({ x }) => x >= tokens);
  const right = points[above];
  const left = points[above - 1] ?? right;
  if (left === undefined || right === undefined) return undefined;
  if (above === 0 && right.x > tokens) return undefined;
  const share = right.x === left.x ? 0 : (tokens - left.x) / (right.x - left.x);
  return left.y + share * (right.y - left.y);
}
