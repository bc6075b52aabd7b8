import type { Step } from "../data/steps.js";
import { charsOverFour } from "../data/text-of.js";
import { estimateOf, type Estimate } from "../metrics/estimate.js";
import { playPolicy } from "../metrics/play-policy.js";
import { provenanceOf, type StepRecall } from "../metrics/provenance.js";
import type { Policy } from "../policies/policy.js";
import type { RecallKind } from "./recall-kinds.js";

/** What a policy kept of what the next step needs, at one budget. */
export interface PolicyRecall extends Partial<Record<RecallKind, Estimate>> {
  readonly policy: string;
  /** Undefined for a policy without one. */
  readonly budget?: number;
  /** Mean of the contexts, in tokens of four characters. */
  readonly tokens: number;
}

export interface MeasureOptions {
  readonly budget?: number;
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
  const estimate = (kind: keyof StepRecall) =>
    estimateOf(measured.map((recalls) => recalls.flatMap((recall) => recall[kind] ?? [])));
  const { all, far, lines, farLines } = {
    all: estimate("all"),
    far: estimate("far"),
    lines: estimate("lines"),
    farLines: estimate("farLines"),
  };
  return {
    policy: policy.name,
    ...(budget === undefined ? {} : { budget }),
    tokens: estimate("tokens")?.mean ?? 0,
    ...(all === undefined ? {} : { all }),
    ...(far === undefined ? {} : { far }),
    ...(lines === undefined ? {} : { lines }),
    ...(farLines === undefined ? {} : { farLines }),
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
