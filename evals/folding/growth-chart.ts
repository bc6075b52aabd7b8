import type { Chart, Series } from "../suite.js";
import type { FoldPoint } from "./fold-thread.js";
import { mean } from "../metrics/quantile.js";
import { groupsOf } from "../metrics/groups-of.js";
import { pointAt, type FoldedRun } from "./tables.js";

/** Steps at which curves are drawn: ten in each decade or so. */
const steps = [
  1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 150, 200, 300, 400, 500, 700, 1_000, 2_000, 3_000,
  5_000, 7_000, 10_000,
];

/** Returns the size of the context over the steps, beside what the paper prints. Bands are the smallest and the largest run. */
export function growthChart(runs: readonly FoldedRun[]): Chart {
  return {
    title: "Context size over a run",
    x: { label: "step", scale: "log" },
    y: { label: "tokens", scale: "log" },
    series: [
      { label: "full history", points: curve(runs, ({ fullTokens }) => fullTokens) },
      ...groupsOf(runs, ({ name }) => name).map(([name, group]) => ({
        label: `Palimpsest, a model that ${name}`,
        points: curve(group, ({ tokens }) => tokens),
      })),
      {
        label: "AgentFold, as printed",
        points: [
          { x: 1, y: 3_500 },
          { x: 100, y: 7_000 },
        ],
      },
      { label: "ReAct, as printed", points: [{ x: 100, y: 91_000 }] },
      { label: "AgentFold at 500 turns, as printed (upper bound)", points: [{ x: 500, y: 20_000 }] },
    ],
    note: "Bands run from the smallest run to the largest. The published points come from 200 real runs and include a system prompt and tools; ours are generated runs with steps of about the same size.",
  };
}

function curve(runs: readonly FoldedRun[], valueOf: (point: FoldPoint) => number): Series["points"] {
  return steps.flatMap((step) => {
    const values = runs.flatMap((run) => pointAt(run, step) ?? []).map(valueOf);
    if (values.length === 0) return [];
    return [{ x: step, y: Math.round(mean(values)), low: Math.min(...values), high: Math.max(...values) }];
  });
}
