import { expect, it } from "vitest";
import type { SetRecall } from "./measure-set.js";
import { isReproduced, reproductionOf } from "./reproduction.js";

const estimate = (mean: number) => ({ mean, low: mean, high: mean, count: 349 });

/** The published copy, played at 8,000 tokens only, with a recall of BM25 that is `difference` off. */
function played(difference: number): SetRecall {
  const free = { "drop tool results": 0.827, "mask M = 10": 0.966, "last 10 steps": 0.788 };
  const at8k = { recency: 0.836, "random (control)": 0.8, BM25: 0.796 + difference };
  const more = { "tf-idf cosine": 0.808, "recency/2 + BM25/2": 0.841, "oracle (ceiling)": 0.966 };
  const recalls = [
    ...Object.entries(free).map(([policy, mean]) => ({ policy, tokens: 1, all: estimate(mean) })),
    ...Object.entries({ ...at8k, ...more }).map(([policy, mean]) => ({
      policy,
      budget: 8_000,
      tokens: 1,
      all: estimate(mean),
    })),
  ];
  const counts = { runs: 3, steps: 349, farSteps: 1, atoms: 1, grounded: 1 };
  return { set: "claude-code-sessions", ...counts, budgets: [8_000], recalls };
}

it("a run is compared with the published recalls at the budgets that were played, and at no other", () => {
  const reproduced = reproductionOf(played(0));
  expect(new Set(reproduced.map(({ budget }) => budget))).toEqual(new Set(["none", 8_000]));
  expect(reproduced.filter((one) => !isReproduced(one))).toEqual([]);
});

it("a recall that differs from the published one by more than the tolerance is not reproduced", () => {
  const off = reproductionOf(played(0.05)).filter((one) => !isReproduced(one));
  expect(off.map(({ policy }) => policy)).toEqual(["BM25"]);
});

it("runs that are not those of the published copy are not compared with it", () => {
  expect(reproductionOf({ ...played(0), runs: 4 })).toEqual([]);
});
