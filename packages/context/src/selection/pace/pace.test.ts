import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assemblePace } from "./assemble-pace.js";
import { contextPressure } from "./context-pressure.js";
import { cosine } from "./cosine.js";
import { hashVector } from "./hash-vector.js";
import type { PaceChunk } from "./pace-chunk.js";
import { paceDefaults } from "./pace-defaults.js";
import { paceLevel } from "./pace-level.js";
import { paceQuery } from "./pace-query.js";
import { paceThresholds } from "./pace-thresholds.js";
import { relativeWeights } from "./relative-weights.js";
import { selectRepresentations } from "./select-representations.js";
import { softmaxWeights } from "./softmax-weights.js";

/** Decimal places: half of the last one is under 1e-12. */
const exact = 12;

describe("the formulas of PACE, against cases worked out by hand", () => {
  it("cosine: (3, 4) and (4, 3) have 24 / 25", () => {
    expect(cosine([3, 4], [4, 3])).toBeCloseTo(0.96, exact);
    expect(cosine([1, 0], [0, 1])).toBe(0);
    expect(cosine([0, 0], [1, 1])).toBe(0);
  });

  it("softmax: similarities tau * ln 1, 2, 5 have weights 1/8, 2/8, 5/8", () => {
    const tau = 0.3;
    const weights = softmaxWeights([0, tau * Math.LN2, tau * Math.log(5)], tau);
    [1 / 8, 2 / 8, 5 / 8].forEach((weight, at) => expect(weights[at]).toBeCloseTo(weight, exact));
  });

  it("relative weights: 1/8, 2/8, 5/8 of three chunks are 0.375, 0.75, 1.875", () => {
    expect(relativeWeights([1 / 8, 2 / 8, 5 / 8])).toEqual([0.375, 0.75, 1.875]);
  });

  it("pressure: the larger of steps and tokens, at most 1", () => {
    expect(contextPressure({ step: 25, maxSteps: 100, tokens: 64_000, budget: 128_000 })).toBe(0.5);
    expect(contextPressure({ step: 75, maxSteps: 100, tokens: 64_000, budget: 128_000 })).toBe(0.75);
    expect(contextPressure({ step: 500, maxSteps: 100, tokens: 0, budget: 128_000 })).toBe(1);
  });

  it("thresholds: at pressure 1 and lambda 0.5 they are 0.6, 1.2, 2.25", () => {
    const { brief, detailed, full } = paceThresholds(paceDefaults.thresholds, 0.5, 1);
    expect(brief).toBeCloseTo(0.6, exact);
    expect(detailed).toBeCloseTo(1.2, exact);
    expect(full).toBeCloseTo(2.25, exact);
  });

  it("selection: a weight on a threshold takes the lower level", () => {
    const levels = [0.4, 0.41, 0.8, 0.81, 1.5, 1.51].map((weight) =>
      paceLevel(weight, paceDefaults.thresholds),
    );
    expect(levels).toEqual(["placeholder", "brief", "brief", "detailed", "detailed", "full"]);
  });

  it("query: the goal, then the newest chunks, cut to the encoder's length", () => {
    expect(paceQuery("goal", ["one", "two"], 8)).toBe("goal\none");
  });

  it("the whole: cosines 0, 0.3 ln 2, 0.3 ln 5 at pressure 0 are placeholder, brief, full", () => {
    const keys = [0, 0.3 * Math.LN2, 0.3 * Math.log(5)].map(keyOf);
    const ratings = selectRepresentations([1, 0], keys, { step: 0, maxSteps: 1, tokens: 0, budget: 1 });
    [0.375, 0.75, 1.875].forEach((weight, at) =>
      expect(ratings[at]?.relativeWeight).toBeCloseTo(weight, exact),
    );
    expect(ratings.map(({ level }) => level)).toEqual(["placeholder", "brief", "full"]);
  });

  it("distances from the log mean that each level needs: tau * ln(threshold * (1 + lambda * P))", () => {
    const { temperature, thresholds } = paceDefaults;
    const distance = (gain: number) =>
      Object.values(paceThresholds(thresholds, gain, 1)).map((value) => temperature * Math.log(value));
    expect(distance(0).map((value) => value.toFixed(3))).toEqual(["-0.275", "-0.067", "0.122"]);
    expect(distance(0.5).map((value) => value.toFixed(3))).toEqual(["-0.153", "0.055", "0.243"]);
    expect(distance(1).map((value) => value.toFixed(3))).toEqual(["-0.067", "0.141", "0.330"]);
  });
});

describe("laws of PACE", () => {
  const similarity = fc.double({ min: -1, max: 1, noNaN: true });

  it("relative weights have mean 1 at any temperature", () => {
    fc.assert(
      fc.property(
        fc.array(similarity, { minLength: 1 }),
        fc.double({ min: 0.01, max: 5, noNaN: true }),
        (all, tau) => {
          const relative = relativeWeights(softmaxWeights(all, tau));
          expect(relative.reduce((sum, value) => sum + value, 0) / all.length).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it("more pressure never raises a level", () => {
    const rank = { placeholder: 0, brief: 1, detailed: 2, full: 3 };
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 9, noNaN: true }), share, share, (weight, a, b) => {
        const level = (pressure: number) =>
          rank[paceLevel(weight, paceThresholds(paceDefaults.thresholds, 0.5, pressure))];
        expect(level(Math.max(a, b))).toBeLessThanOrEqual(level(Math.min(a, b)));
      }),
    );
  });

  it("hashed vectors have length 1, or 0 for a text without words", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const length = Math.hypot(...hashVector(text));
        expect(length < 1e-9 || Math.abs(length - 1) < 1e-9).toBe(true);
      }),
    );
    expect(cosine(hashVector("read the file"), hashVector("read the file"))).toBeCloseTo(1, exact);
  });
});

it("falls back to the whole content while there is room, then to the placeholder", () => {
  const ready = { ...chunk(3), detailed: "a summary", brief: "in brief" };
  const choices = [
    { chunk: chunk(1), level: "brief" as const },
    { chunk: chunk(2), level: "detailed" as const },
    { chunk: ready, level: "brief" as const },
    { chunk: ready, level: "detailed" as const },
  ];
  const texts = assemblePace(choices, 15).map(({ text }) => text);
  expect(texts).toEqual(["xxxxxxxxxx", "[2]", "in brief", "a summary"]);
  expect(assemblePace(choices, 15).map(({ fellBack }) => fellBack)).toEqual([true, true, false, false]);
});

/** A vector of length 1 with this cosine to (1, 0). */
function keyOf(similarity: number): readonly number[] {
  return [similarity, Math.sqrt(1 - similarity ** 2)];
}

function chunk(t: number): PaceChunk {
  return { id: `c${t}`, type: "ai", t, full: "x".repeat(10), placeholder: `[${t}]`, key: [] };
}
