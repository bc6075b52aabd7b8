import { featureNames, type ReuseWeights } from "@palimpsest/context/selection";
import { runSets } from "../../data/run-sets.js";
import { stepsOf, type Step } from "../../data/steps.js";
import { groupsOf } from "../../metrics/groups-of.js";
import { sumOf } from "../../metrics/sum-of.js";
import { reuse } from "../../policies/reuse.js";
import { tableOf } from "../../report/table-of.js";
import type { Suite, Table } from "../../suite.js";
import { measureVariant } from "../predictive.js";
import { show, type VariantRecall } from "../report-predictive.js";
import { collectExamples, type Examples } from "./collect-examples.js";
import { fitLogistic } from "./fit-logistic.js";

interface FittedRun {
  readonly set: string;
  readonly steps: readonly Step[];
  readonly examples: Examples;
}

const budgets = [8_000, 16_000];
/** What the weights have not seen of a run that they are measured on: every run of its agent, or the run itself. */
const leftOut = ["agent", "run"] as const;

interface LeftOutRecall extends VariantRecall {
  readonly out: (typeof leftOut)[number];
}

/**
 * Fits the weights of reuse coverage, and measures them on each run with weights that have not seen its agent, and with
 * weights that have not seen the run.
 */
export const fit: Suite = async ({ data, quick = false, progress }) => {
  const sets = await runSets({ data, quick });
  const runs = (sets.length > 1 ? sets.slice(1) : sets).flatMap(({ name, trajectories }) =>
    trajectories.map((trajectory): FittedRun => {
      progress(`examples of ${name} ${trajectory.id}`);
      const steps = stepsOf(trajectory);
      return { set: name, steps, examples: collectExamples(steps) };
    }),
  );
  const weights = fitted(runs);
  const recalls: LeftOutRecall[] = [];
  for (const out of leftOut) {
    for (const run of runs) {
      const others = runs.filter((one) => (out === "agent" ? one.set !== run.set : one !== run));
      // Nothing is left to fit on where all runs are of one agent, or there is one run.
      if (others.length === 0) continue;
      const policy = reuse({ weights: fitted(others) });
      for (const budget of budgets)
        recalls.push({ out, ...(await measureVariant(run.set, [run.steps], { policy, budget })) });
      progress(`measured a run of ${run.set}, fitted without its ${out}`);
    }
  }
  const recallTables = leftOut.flatMap((out) =>
    budgets.map((budget) =>
      recallTable(
        recalls.filter((one) => one.budget === budget && one.out === out),
        `Recall at ${budget} tokens of each run, with weights fitted on ${out === "run" ? "the other runs" : "the runs of other agents"}`,
      ),
    ),
  );
  return {
    suite: "fit",
    question: "Which weights predict reuse, and what do they keep of a run that they were not fitted on?",
    cases: runs.length,
    passed: runs.length > 0 && Object.values(weights).every(Number.isFinite),
    tables: [weightTable(weights), ...recallTables.filter(({ rows }) => rows.length > 0)],
    charts: [],
    numbers: { weights, leftOut: recalls },
  };
};

function fitted(runs: readonly FittedRun[]): ReuseWeights {
  const examples = runs.map((run) => run.examples);
  const values = fitLogistic(examples, featureNames.length).map((value) => Math.round(value * 100) / 100);
  return Object.fromEntries(featureNames.map((name, at) => [name, values[at]])) as unknown as ReuseWeights;
}

function weightTable(weights: ReuseWeights): Table {
  return {
    title: "Weights fitted on all runs",
    columns: ["feature", "weight"],
    rows: Object.entries(weights) as [string, number][],
  };
}

function recallTable(recalls: readonly VariantRecall[], title: string): Table {
  const whole = groupsOf(recalls, ({ set }) => set).map(
    ([set, own]) => [`${set}, all ${own.length}`, own] as const,
  );
  return tableOf([...recalls.map((run) => [run.set, [run]] as const), ...whole], {
    title,
    columns: [
      ["run of", ([label]) => label],
      ["all", ([, runs]) => show(pooled(runs.map(({ all }) => all)))],
      ["far", ([, runs]) => show(pooled(runs.map(({ far }) => far)))],
      [
        "far, strict",
        ([, runs]) =>
          show(pooled(runs.map(({ strictFar, far }) => far && { mean: strictFar, count: far.count }))),
      ],
      ["edit lines", ([, runs]) => show(pooled(runs.map(({ lines }) => lines)))],
    ],
    note: "The last rows are means over all steps of a set. Strict: with its whole line and both lines beside it.",
  });
}

/** Returns the mean over the steps of all runs that have such needs. */
function pooled(runs: readonly ({ readonly mean: number; readonly count: number } | undefined)[]) {
  const known = runs.filter((run) => run !== undefined);
  const count = sumOf(known, (run) => run.count);
  return count === 0 ? undefined : { mean: sumOf(known, (run) => run.mean * run.count) / count };
}
