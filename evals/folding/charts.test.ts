import { expect, it } from "vitest";
import { growthChart } from "./charts.js";
import type { FoldedRun } from "./measure-runs.js";

/** A run whose context has the same size at each step. */
function run(steps: number, tokens: number): FoldedRun {
  const points = Array.from({ length: steps }, (_, index) => ({
    step: index + 1,
    tokens,
    fullTokens: 100 * (index + 1),
    blocks: 1,
  }));
  const rest = { unfolds: 0, intact: true, rewrites: 0, refused: 0, failed: 0, millisecondsAStep: 0 };
  return { name: "never folds", seed: 1, steps, points, ...rest };
}

it("the curve of the context is the mean over the runs that have not ended at that step", () => {
  const { series } = growthChart([run(10, 2_000), run(100, 4_000)]);
  const points = series.find(({ label }) => label.includes("never folds"))?.points ?? [];
  const sizes = points.map(({ x, y }) => [x, y]);
  expect(sizes).toEqual(
    expect.arrayContaining([
      [1, 3_000],
      [10, 3_000],
      [15, 4_000],
      [100, 4_000],
    ]),
  );
  expect(sizes.filter(([step = 0]) => step > 100)).toEqual([]);
});
