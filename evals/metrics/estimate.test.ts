import * as fc from "fast-check";
import { expect, it } from "vitest";
import { estimateOf, ratioOf } from "./estimate.js";

it("an estimate has the mean of all values inside its interval", () => {
  const runs = fc.array(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(runs, (values) => {
      const estimate = estimateOf(values);
      const all = values.flat();
      expect(estimate?.mean).toBeCloseTo(all.reduce((sum, value) => sum + value, 0) / all.length);
      expect(estimate?.count).toBe(all.length);
      expect(estimate?.low ?? 1).toBeLessThanOrEqual(estimate?.high ?? 0);
    }),
    { numRuns: 50 },
  );
});

it("there is no estimate without a value", () => {
  expect(estimateOf([[], []])).toBeUndefined();
});

it("a ratio weighs each value by what it is over, and has no interval where all ratios are alike", () => {
  const parts = [1, 2, 30, 4].map((over) => ({ value: over / 2, over }));
  expect(ratioOf([parts, parts.slice(2)])).toEqual({ mean: 0.5, low: 0.5, high: 0.5, count: 6 });
  expect(
    ratioOf([
      [
        { value: 1, over: 1 },
        { value: 0, over: 9 },
      ],
    ])?.mean,
  ).toBe(0.1);
});
