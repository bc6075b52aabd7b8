import { runSets } from "../data/run-sets.js";
import { stepsOf, type Step } from "../data/steps.js";
import type { Policy } from "../policies/policy.js";
import { predictiveNode } from "../policies/predictive-node.js";
import { randomRetention, recency } from "../policies/recency.js";
import { measurePolicy } from "../provenance/measure-policy.js";
import type { Suite } from "../suite.js";
import { intervalChoices } from "./choice-table.js";
import { growthOf, type Growth } from "./growth-of.js";
import { measureHorizon } from "./measure-horizon.js";
import {
  ablationTable,
  costTable,
  growthChart,
  levelTable,
  recallCharts,
  reuseTable,
  type VariantRecall,
} from "./report-predictive.js";
import { paceVariants, reuseVariants } from "./variants.js";
import { watchPolicy } from "./watch-policy.js";
import { flag, number, readOptions, text } from "../run/read-options.js";

interface SetRuns {
  readonly set: string;
  readonly runs: readonly (readonly Step[])[];
}

/** May exceed the budget at first: the part that every selection of whole steps keeps. */
const controls: ReadonlySet<string> = new Set([recency.name, randomRetention.name]);
const charted = [4_000, 8_000, 16_000, 32_000];

/**
 * Measures PACE as published beside reuse coverage: levels, growth, what each part is worth, and very long threads.
 * `[--steps N] [--budget N] [--set NAME] [--budgets] [--encoder]`; `--budgets` also charts recall at 4,000 to 32,000 tokens, `--encoder` plays PACE with a sentence encoder too.
 */
export const predictive: Suite = async ({ data, quick = false, args, progress }) => {
  const { steps, budget, set: only, budgets, encoder } = settings(args, quick);
  const sets = await runSets({ data, quick });
  const runs: SetRuns[] = sets
    .filter(({ name }) => name.includes(only))
    .map(({ name, trajectories }) => ({ set: name, runs: trajectories.map(stepsOf) }));
  if (runs.length === 0) throw new Error(`--set is ${only}: no set of runs has that in its name`);
  const growth: Growth[] = [];
  const ours: VariantRecall[] = [];
  const published: VariantRecall[] = [];
  for (const one of runs) {
    for (const pressureGain of [0.5, 1])
      growth.push(await growthOf(one.set, one.runs, { pressureGain, budget }));
    for (const at of budgets)
      for (const policy of reuseVariants()) ours.push(await measured(one, policy, { budget: at, progress }));
    for (const policy of paceVariants({ encoder }))
      published.push(await measured(one, policy, { budget, progress }));
  }
  const horizon = measureHorizon({ steps, budget: horizonBudget(quick), progress });
  return {
    suite: "predictive",
    question: "What does a context that is selected at each step keep, and what does it cost at any length?",
    cases: runs.reduce((sum, { runs: all }) => sum + all.reduce((count, one) => count + one.length, 0), 0),
    passed: areBounded(ours, horizon) && seesFarther(ours),
    tables: [
      reuseTable(
        ours.filter((one) => one.budget === budget),
        budget,
      ),
      ablationTable(published, budget),
      levelTable(growth),
      costTable(horizon),
    ],
    choices: [intervalChoices(ours, budget)],
    charts: [growthChart(growth), ...(budgets.length > 1 ? recallCharts(ours) : [])],
    numbers: { growth, recalls: [...ours, ...published], horizon },
  };
};

function horizonBudget(quick: boolean): number {
  return quick ? 8_000 : 128_000;
}

/** Every selection is within its budget, at any length. */
function areBounded(recalls: readonly VariantRecall[], horizon: ReturnType<typeof measureHorizon>): boolean {
  return (
    recalls.every((one) => controls.has(one.policy) || one.tokens <= (one.budget ?? 0)) &&
    horizon.every(({ tokens, budget }) => tokens <= budget)
  );
}

/** On each set the node shows more of what was said long before the call that needs it than the newest messages do. */
function seesFarther(recalls: readonly VariantRecall[]): boolean {
  const farOf = ({ set, budget }: VariantRecall, policy: string) =>
    recalls.find((one) => one.set === set && one.budget === budget && one.policy === policy)?.far?.mean ?? 0;
  return recalls
    .filter(({ policy, far }) => policy === predictiveNode().name && far !== undefined)
    .every((own) => (own.far?.mean ?? 0) > farOf(own, recency.name));
}

async function measured(
  { set, runs }: SetRuns,
  policy: Policy,
  { budget, progress }: { readonly budget: number; readonly progress: (line: string) => void },
): Promise<VariantRecall> {
  const { policy: watching, watched } = watchPolicy(policy, runs);
  const recall = await measurePolicy(runs, watching, { budget });
  progress(`${set}, ${budget} tokens: ${policy.name}`);
  return { set, ...recall, ...watched() };
}

function settings(args: readonly string[], quick: boolean) {
  const { steps, budgets, ...given } = readOptions(args, {
    steps: number(100, 2_000),
    budget: number(100, 8_000),
    set: text(""),
    budgets: flag,
    encoder: flag,
  });
  const all = [...new Set([...charted, given.budget])].sort((a, b) => a - b);
  return {
    ...given,
    steps: quick ? [50, 200] : lengthsTo(steps),
    budgets: budgets ? all : [given.budget],
  };
}

/** 100, 1,000, 10,000 and so on below the end, then the end. */
function lengthsTo(most: number): readonly number[] {
  const lengths: number[] = [];
  for (let steps = 100; steps < most; steps *= 10) lengths.push(steps);
  return [...lengths, most];
}
