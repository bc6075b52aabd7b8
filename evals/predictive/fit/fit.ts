import { featureNames, type ReuseWeights } from "@palimpsest/context";
import { runSets, type RunSet } from "../../data/run-sets.js";
import { stepsOf, type Step } from "../../data/steps.js";
import { reuse } from "../../policies/reuse.js";
import { measurePolicy } from "../../provenance/measure-policy.js";
import type { Suite, Table } from "../../suite.js";
import { collectExamples, type Examples } from "./collect-examples.js";
import { fitLogistic } from "./fit-logistic.js";

interface FittedRun {
  readonly set: string;
  readonly steps: readonly Step[];
  readonly examples: Examples;
}

const budget = 8_000;

/** Fits the weights of reuse coverage, and measures them on each run with weights that have not seen it. */
export const fit: Suite = async ({ data, quick = false, progress }) => {
  const sets = runSets({ data, quick, sets: ["claude-code-sessions", "pi-sessions"] });
  const recorded = sets.length > 1 ? sets.slice(1) : sets;
  const runs = recorded.flatMap((set) => readRuns(set, progress));
  const final = fitted(runs);
  const recalls = [];
  for (const run of runs) {
    const others = runs.filter((one) => one !== run);
    const weights = fitted(others.length === 0 ? runs : others);
    recalls.push({ set: run.set, ...(await measurePolicy([run.steps], reuse({ weights }), { budget })) });
    progress(`measured a run of ${run.set}`);
  }
  return {
    suite: "fit",
    question: "Which weights predict reuse, and what do they keep of a run that they were not fitted on?",
    cases: runs.length,
    passed: runs.length > 0 && Object.values(final).every(Number.isFinite),
    tables: [weightTable(final), recallTable(recalls)],
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

function pooledMean(means: readonly RunMean[]): { readonly mean: number } | undefined {
  const count = means.reduce((sum, one) => sum + one.count, 0);
  return count === 0
    ? undefined
    : { mean: means.reduce((sum, one) => sum + one.mean * one.count, 0) / count };
}

function recallTable(
  recalls: readonly {
    readonly set: string;
    readonly all?: RunMean;
    readonly far?: RunMean;
    readonly lines?: RunMean;
  }[],
): Table {
  return {
    title: `Recall at ${budget} tokens of each run, with weights fitted on the others`,
    columns: ["run of", "all", "far", "edit lines"],
    rows: [
      ...recalls.map(({ set, all, far, lines }) => [set, show(all), show(far), show(lines)]),
      ...[...new Set(recalls.map(({ set }) => set))].map((name) => {
        const own = recalls.filter(({ set }) => set === name);
        const pooled = (kind: "all" | "far" | "lines") =>
          show(pooledMean(own.flatMap((run) => run[kind] ?? [])));
        return [`${name}, all ${own.length}`, pooled("all"), pooled("far"), pooled("lines")];
      }),
    ],
    note: "The last rows are means over all steps of a set.",
  };
}

function show(value: { readonly mean: number } | undefined): string {
  return value?.mean.toFixed(3) ?? "";
}
