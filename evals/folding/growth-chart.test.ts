import { expect, it } from "vitest";
import { growthChart } from "./growth-chart.js";
import type { FoldedRun } from "./tables.js";

/** A run whose context has the same size at each step. */
function run(steps: number, tokens: number): FoldedRun {
  const points = Array.from({ length: steps }, (_, at) => ({
    step: at + 1,
    tokens,
    fullTokens: 9,
    blocks: 1,
  }));
  const rest = { unfolds: 0, intact: true, rewrites: 0, refused: 0, failed: 0, millisecondsAStep: 0 };
  return { name: "never folds", steps, points, ...rest };
}

it("the curve of the context is the mean over the runs that have not ended at that step", () => {
  const { series } = growthChart([run(10, 2_000), run(100, 4_000)]);
  const points = series.find(({ label }) => label.includes("never folds"))?.points ?? [];
  const sizes = new Map(points.map(({ x, y }) => [x, y]));
  expect([1, 10, 15, 100].map((step) => sizes.get(step))).toEqual([3_000, 3_000, 4_000, 4_000]);
  expect(points.at(-1)?.x).toBe(100);
});
