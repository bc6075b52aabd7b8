import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextPressure, paceDefaults, paceLevel, paceThresholds, type PaceLevel } from "./levels.js";
import { fitRepresentations, selectRepresentations } from "./select-representations.js";
import {
  cosine,
  hashVector,
  mergeSimilarities,
  paceQuery,
  relativeWeights,
  softmaxWeights,
} from "./weights.js";

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

  it("defaults: N 2, tau 0.3, lambda 0.5, thresholds 0.4, 0.8 and 1.5, three glimpses, a window of 128,000", () => {
    expect(paceDefaults).toMatchObject({
      recent: 2,
      temperature: 0.3,
      pressureGain: 0.5,
      thresholds: { brief: 0.4, detailed: 0.8, full: 1.5 },
      glimpses: 3,
      budget: 128_000,
    });
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

  it("query: the questions, then the newest steps", () => {
    expect(paceQuery(["goal", "one", "two"], 100)).toBe("goal\none\ntwo");
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

describe("the query text", () => {
  it("a query text never exceeds its limit, and holds the beginning of every part that the limit has room for", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 }),
        fc.nat(60),
        (parts, most) => {
          const text = paceQuery(parts, most);
          expect(text.length).toBeLessThanOrEqual(most);
          const share = Math.floor((most - parts.length + 1) / parts.length);
          const beginnings = parts.map((part) => part.slice(0, Math.max(0, share)));
          expect(beginnings.filter((beginning) => !text.includes(beginning))).toEqual([]);
        },
      ),
    );
  });

  it("a query text cuts a question of any length before it drops a newest step", () => {
    expect(paceQuery(["q".repeat(9_000), "one", "two"], 20)).toBe(`${"q".repeat(12)}\none\ntwo`);
  });
});

describe("levels within a number of tokens", () => {
  const rank: Readonly<Record<PaceLevel, number>> = { placeholder: 0, brief: 1, detailed: 2, full: 3 };
  const { thresholds } = paceDefaults;
  const weight = fc.oneof(
    { weight: 9, arbitrary: fc.double({ min: 0, max: 6, noNaN: true }) },
    { weight: 1, arbitrary: fc.constant(Infinity) },
  );
  const step = fc.record({
    weight,
    brief: fc.integer({ min: 1, max: 80 }),
    more: fc.nat(300),
    most: fc.nat(2_000),
  });
  const steps = fc.array(step, { maxLength: 60 });
  const limit = fc.integer({ min: 0, max: 20_000 });

  function fitted(
    all: readonly { weight: number; brief: number; more: number; most: number }[],
    limit: number,
  ) {
    const weights = all.map((one) => one.weight);
    const tokens = all.map(({ brief, more, most }) => ({
      brief,
      detailed: brief + more,
      full: brief + more + most,
    }));
    const result = fitRepresentations(weights, { thresholds, tokens, limit });
    const totalOf = (levels: readonly PaceLevel[]) =>
      levels.reduce((sum, level, at) => sum + (level === "placeholder" ? 0 : (tokens[at]?.[level] ?? 0)), 0);
    const published = weights.map((one) => paceLevel(one, thresholds));
    return { ...result, weights, published, totalOf };
  }

  it("levels never take more tokens than the limit, and are never above the published levels", () => {
    fc.assert(
      fc.property(steps, limit, (all, most) => {
        const { levels, published, total, totalOf } = fitted(all, most);
        expect(total).toBe(totalOf(levels));
        expect(total).toBeLessThanOrEqual(most);
        expect(levels.filter((level, at) => rank[level] > rank[published[at] ?? "full"])).toEqual([]);
      }),
    );
  });

  it("levels are the published ones, with no threshold raised, when these fit", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { published, totalOf } = fitted(all, 0);
        const { levels, raised } = fitted(all, totalOf(published));
        expect(levels).toEqual(published);
        expect(raised).toBe(1);
      }),
    );
  });

  it("levels leave too few tokens to raise any step by a level", () => {
    fc.assert(
      fc.property(steps, limit, (all, most) => {
        const { levels, published, totalOf } = fitted(all, most);
        const names = ["placeholder", "brief", "detailed", "full"] as const;
        const fitting = levels.flatMap((level, at) => {
          if (level === published[at]) return [];
          const higher = levels.with(at, names[rank[level] + 1] ?? "full");
          return totalOf(higher) <= most ? [at] : [];
        });
        expect(fitting).toEqual([]);
      }),
    );
  });

  it("of steps with equal costs, a lighter one is never at a higher level than a heavier one", () => {
    fc.assert(
      fc.property(fc.array(weight, { maxLength: 60 }), limit, (weights, most) => {
        const all = weights.map((one) => ({ weight: one, brief: 60, more: 300, most: 900 }));
        const { levels } = fitted(all, most);
        const byWeight = weights
          .map((one, at) => ({ one, at, level: rank[levels[at] ?? "placeholder"] }))
          .sort((a, b) => (a.one === b.one ? a.at - b.at : a.one - b.one));
        const sorted = byWeight.map(({ level }) => level);
        expect(sorted).toEqual(sorted.toSorted((a, b) => a - b));
      }),
    );
  });

  it("spare tokens go to the heaviest step first, not to the oldest", () => {
    const tokens = Array.from({ length: 3 }, () => ({ full: 500, detailed: 500, brief: 500 }));
    const { levels } = fitRepresentations([1.07, 1.27, 2.09], { thresholds, tokens, limit: 1_000 });
    expect(levels).toEqual(["placeholder", "detailed", "full"]);
  });

  it("a step that must stay loses its level after all others", () => {
    const tokens = Array.from({ length: 3 }, () => ({ full: 100, detailed: 50, brief: 10 }));
    const weights = [Infinity, 1.4, Infinity];
    const levelsAt = (most: number) =>
      fitRepresentations(weights, { thresholds, tokens, limit: most }).levels;
    expect(levelsAt(200)).toEqual(["full", "placeholder", "full"]);
    expect(levelsAt(160)).toEqual(["detailed", "brief", "full"]);
    expect(levelsAt(0)).toEqual(["placeholder", "placeholder", "placeholder"]);
  });
});

describe("similarities that an encoder has not given yet", () => {
  it("missing similarities come from the words, at the mean and the spread of the known ones", () => {
    const merged = mergeSimilarities([0.8, undefined, 0.7, undefined], [0.3, 0.3, 0.1, 0.1]);
    [0.8, 0.8, 0.7, 0.7].forEach((value, at) => expect(merged[at]).toBeCloseTo(value, exact));
  });

  it("known similarities stay unchanged, and words alone count when fewer than two are known", () => {
    const similarity = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.option(similarity, { nil: undefined }), similarity)), (pairs) => {
        const encoded = pairs.map(([value]) => value);
        const byWords = pairs.map(([, value]) => value);
        const merged = mergeSimilarities(encoded, byWords);
        const given = encoded.filter((value) => value !== undefined).length;
        expect(merged).toEqual(given < 2 ? byWords : merged.map((value, at) => encoded[at] ?? value));
        expect(merged.every((value) => Number.isFinite(value))).toBe(true);
      }),
    );
  });
});

/** A vector of length 1 with this cosine to (1, 0). */
function keyOf(similarity: number): readonly number[] {
  return [similarity, Math.sqrt(1 - similarity ** 2)];
}
