import { runSets } from "../data/run-sets.js";
import { stepsOf, type Step } from "../data/steps.js";
import { pace } from "../policies/pace.js";
import type { Policy } from "../policies/policy.js";
import { randomRetention } from "../policies/random-retention.js";
import { recency } from "../policies/recency.js";
import { reuse } from "../policies/reuse.js";
import { measurePolicy, type PolicyRecall } from "../provenance/measure-policy.js";
import type { Chart, Suite, Table } from "../suite.js";
import { growthOf, type Growth } from "./growth-of.js";
import { measureHorizon, type HorizonPoint } from "./measure-horizon.js";

const budget = 8_000;
const levels = ["full", "detailed", "brief", "placeholder"] as const;

interface SetRuns {
  readonly set: string;
  readonly runs: readonly (readonly Step[])[];
}

/** Measures PACE as published beside reuse coverage: levels, growth, what each part is worth, and very long threads. */
export const predictive: Suite = async ({ data, quick = false, args, progress }) => {
  const steps = quick ? [50, 200] : lengthsTo(mostSteps(args));
  const sets = runSets({ data, quick, sets: ["claude-code-sessions", "pi-sessions"] });
  const runs: SetRuns[] = sets.map(({ name, trajectories }) => ({
    set: name,
    runs: trajectories.map(stepsOf),
  }));
  const growth: Growth[] = [];
  const recalls: (PolicyRecall & { readonly set: string })[] = [];
  for (const { set, runs: all } of runs) {
    for (const pressureGain of [0.5, 1]) growth.push(await growthOf(set, all, { pressureGain, budget }));
    for (const policy of variants()) {
      recalls.push({ set, ...(await measurePolicy(all, policy, { budget })) });
      progress(`${set}: ${policy.name}`);
    }
  }
  const horizon = measureHorizon({
    steps,
    budget: quick ? 8_000 : 128_000,
    progress,
  });
  const bounded = recalls
    .filter(({ policy }) => policy.startsWith("reuse"))
    .every(({ tokens }) => tokens <= budget);
  return {
    suite: "predictive",
    question:
      "What does a context that is predicted anew for each step keep, and what does it cost at any length?",
    cases: runs.reduce((sum, { runs: all }) => sum + all.reduce((steps, one) => steps + one.length, 0), 0),
    passed: bounded && horizon.every(({ tokens, budget: most }) => tokens <= most),
    tables: [levelTable(growth), ablationTable(recalls), horizonTable(horizon)],
    charts: [growthChart(growth)],
    numbers: { growth, recalls, horizon },
  };
};

/** The number behind `--steps`, where the horizon ends. */
function mostSteps(args: readonly string[]): number {
  const at = args.findIndex((arg) => arg === "--steps" || arg.startsWith("--steps="));
  if (at < 0) return 10_000;
  const given = args[at]?.split("=")[1] ?? args[at + 1];
  const steps = Number(given);
  if (Number.isInteger(steps) && steps >= 100) return steps;
  throw new Error(`--steps is ${String(given)}: use a whole number from 100 on`);
}

/** 1,000, then ten times as many as often as that is below the end, and the end. */
function lengthsTo(most: number): readonly number[] {
  const lengths: number[] = [];
  for (let steps = 1_000; steps < most; steps *= 10) lengths.push(steps);
  return [...lengths, most];
}

function variants(): readonly Policy[] {
  return [
    recency,
    randomRetention,
    reuse(),
    reuse({ sticky: 0.85 }),
    pace(),
    named("PACE, lambda 1", pace({ pressureGain: 1 })),
    named("PACE without pressure", pace({ pressureGain: 0 })),
    named("PACE without granularity (full or placeholder)", pace({ levels: ["full", "placeholder"] })),
    named("PACE, tau 1", pace({ temperature: 1 })),
    named("PACE, tau 0.05", pace({ temperature: 0.05 })),
    named("PACE with 3 glimpses", pace({ glimpses: 3 })),
  ];
}

function levelTable(growth: readonly Growth[]): Table {
  return {
    title: "Levels that PACE gives to past steps, shares",
    columns: ["runs, lambda", ...levels],
    rows: growth.map(({ set, pressureGain, shares }) => [
      `${set}, ${pressureGain}`,
      ...levels.map((level) => shares[level].toFixed(3)),
    ]),
    note: "Hashed words for the encoder, mechanical representations.",
  };
}

function ablationTable(recalls: readonly (PolicyRecall & { readonly set: string })[]): Table {
  return {
    title: `What each part keeps of what the next call needs, budget ${budget} tokens of four characters`,
    columns: ["policy", "runs", "all", "far", "edit lines", "mean tokens"],
    rows: recalls.map(({ policy, set, all, far, lines, tokens }) => [
      policy,
      set,
      show(all),
      show(far),
      show(lines),
      Math.round(tokens),
    ]),
    note: "PACE has no hard budget: read its recall beside its tokens. What is visible is not what a model uses.",
  };
}

function horizonTable(points: readonly HorizonPoint[]): Table {
  return {
    title: "Reuse coverage over very long generated threads",
    columns: ["steps", "budget", "largest context", "median ms", "p99 ms", "append ms", "heap MB"],
    rows: points.map((one) => [
      one.steps,
      one.budget,
      Math.round(one.tokens),
      one.medianMs.toFixed(1),
      one.p99Ms.toFixed(1),
      one.appendMs.toFixed(2),
      Math.round(one.heapMb),
    ]),
    note: "CPU milliseconds of a selection anew; with the sticky default a step that does not select costs its append alone.",
  };
}

function growthChart(growth: readonly Growth[]): Chart {
  return {
    title: "Context of PACE as published, by step",
    x: { label: "step", scale: "linear" },
    y: { label: "tokens", scale: "linear" },
    series: growth.map(({ set, pressureGain, points }) => ({
      label: `${set}, lambda ${pressureGain}`,
      points,
    })),
  };
}

function named(name: string, policy: Policy): Policy {
  return { ...policy, name };
}

function show(value: { readonly mean: number } | undefined): string {
  return value?.mean.toFixed(3) ?? "";
}
