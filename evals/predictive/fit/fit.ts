import { featureNames, type ReuseWeights } from "@palimpsest/context/selection";
import { runSets, type RunSet } from "../../data/run-sets.js";
import { stepsOf, type Step } from "../../data/steps.js";
import { reuse } from "../../policies/reuse.js";
import { measurePolicy } from "../../provenance/measure-policy.js";
import type { Suite, Table } from "../../suite.js";
import { collectExamples, type Examples } from "./collect-examples.js";
import { watchPolicy, type Watched } from "../watch-policy.js";
import { fitLogistic } from "./fit-logistic.js";
import { show } from "../report-predictive.js";

interface FittedRun {
  readonly set: string;
  readonly steps: readonly Step[];
  readonly examples: Examples;
}

const budgets = [8_000, 16_000];

/** What the weights have not seen of a run that they are measured on: the run itself, or every run of its agent. */
const leftOut = {
  agent: (run: FittedRun, other: FittedRun) => run.set !== other.set,
  run: (run: FittedRun, other: FittedRun) => run !== other,
} as const;

/**
 * Fits the weights of reuse coverage, and measures them on each run with weights that have not seen its agent, and with
 * weights that have not seen the run.
 */
export const fit: Suite = async ({ data, quick = false, progress }) => {
  const sets = await runSets({ data, quick });
  const recorded = sets.length > 1 ? sets.slice(1) : sets;
  const runs = recorded.flatMap((set) => readRuns(set, progress));
  const final = fitted(runs);
  const recalls: LeftOutRecall[] = [];
  for (const out of ["agent", "run"] as const) {
    for (const run of runs) {
      const others = runs.filter((one) => leftOut[out](run, one));
      // Nothing is left to fit on where all runs are of one agent, or there is one run.
      if (others.length === 0) continue;
      const weights = fitted(others);
      for (const budget of budgets) {
        const { policy, watched } = watchPolicy(reuse({ weights }), [run.steps]);
        const recall = await measurePolicy([run.steps], policy, { budget });
        recalls.push({ out, set: run.set, ...recall, ...watched(), budget });
      }
      progress(`measured a run of ${run.set}, fitted without its ${out}`);
    }
  }
  return {
    suite: "fit",
    question: "Which weights predict reuse, and what do they keep of a run that they were not fitted on?",
    cases: runs.length,
    passed: runs.length > 0 && Object.values(final).every(Number.isFinite),
    tables: [
      weightTable(final),
      ...(["agent", "run"] as const)
        .flatMap((out) =>
          budgets.map((budget) =>
            recallTable(
              recalls.filter((one) => one.budget === budget && one.out === out),
              { budget, out },
            ),
          ),
        )
        .filter(({ rows }) => rows.length > 0),
    ],
    charts: [],
    numbers: { weights: final, leftOut: recalls },
  };
};

function readRuns({ name, trajectories }: RunSet, progress: (line: string) => void): readonly FittedRun[] {
  return trajectories.map((trajectory) => {
    const steps = stepsOf(trajectory);
    const examples = collectExamples(steps);
    progress(`${name} ${trajectory.id}: ${examples.count} examples`);
    return { set: name, steps, examples };
  });
}

function fitted(runs: readonly FittedRun[]): ReuseWeights {
  const values = fitLogistic(
    runs.map(({ examples }) => examples),
    featureNames.length,
  );
  return Object.fromEntries(
    featureNames.map((name, at) => [name, round(values[at] ?? 0)]),
  ) as unknown as ReuseWeights;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function weightTable(weights: ReuseWeights): Table {
  return {
    title: "Weights fitted on all runs",
    columns: ["feature", "weight"],
    rows: Object.entries(weights) as [string, number][],
  };
}

interface RunMean {
  readonly mean: number;
  readonly count: number;
}

type RunRecall = Watched & { readonly set: string } & Partial<Record<"all" | "far" | "lines", RunMean>>;

type LeftOutRecall = RunRecall & { readonly budget: number; readonly out: keyof typeof leftOut };

function pooledMean(means: readonly RunMean[]): RunMean | undefined {
  const count = means.reduce((sum, one) => sum + one.count, 0);
  return count === 0
    ? undefined
    : { mean: means.reduce((sum, one) => sum + one.mean * one.count, 0) / count, count };
}

function recallTable(
  recalls: readonly RunRecall[],
  { budget, out }: Pick<LeftOutRecall, "budget" | "out">,
): Table {
  const sets = [...new Set(recalls.map(({ set }) => set))];
  const rowOf = (label: string, runs: readonly RunRecall[]) => [
    label,
    ...(["all", "far"] as const).map((kind) => show(pooledMean(runs.flatMap((run) => run[kind] ?? [])))),
    show(pooledMean(runs.map(({ strictFar, far }) => ({ mean: strictFar, count: far?.count ?? 0 })))),
    show(pooledMean(runs.flatMap(({ lines }) => lines ?? []))),
  ];
  return {
    title: `Recall at ${budget} tokens of each run, with weights fitted on ${out === "run" ? "the other runs" : "the runs of other agents"}`,
    columns: ["run of", "all", "far", "far, strict", "edit lines"],
    rows: [
      ...recalls.map((run) => rowOf(run.set, [run])),
      ...sets.map((name) => {
        const own = recalls.filter(({ set }) => set === name);
        return rowOf(`${name}, all ${own.length}`, own);
      }),
    ],
    note: "The last rows are means over all steps of a set. Strict: with its whole line and both lines beside it.",
  };
}
