import { expect, it } from "vitest";
import { costOf } from "./cost-of.js";

const usage = { calls: 3, input: 5_000_000, cached: 2_000_000, cacheWrites: 1_000_000, output: 500_000 };

it("pays for each input token once: from the cache, into it, or neither", () => {
  const prices = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 };
  expect(costOf(usage, prices)).toBeCloseTo(2 * 3 + 2 * 0.3 + 3.75 + 0.5 * 15);
});

it("pays for a token that is written to the cache as for another one, unless told its price", () => {
  expect(costOf(usage, { input: 3, cachedInput: 0, output: 0 })).toBeCloseTo(9);
});

it("never costs less than nothing, where a model reports more cached tokens than it read", () => {
  expect(costOf({ ...usage, input: 0 }, { input: 3, cachedInput: 0, cacheWrite: 0, output: 0 })).toBe(0);
});
