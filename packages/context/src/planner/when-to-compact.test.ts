import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ContextError } from "../context-error.js";
import { checkPrices, type PlannerFacts, type Prices } from "./compaction-bill.js";
import { whenToCompact } from "./when-to-compact.js";

const prices: Prices = { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 };

/** A prompt of 20,000 tokens, all but the newest 500 in the cache, that a compaction makes 5,000 long. */
const typical: PlannerFacts = {
  tokens: 20_000,
  tokensAfter: 5_000,
  stableTokens: 1_000,
  cachedTokens: 19_500,
  growth: 500,
  remainingSteps: 100,
  triggerTokens: 100_000,
  prices,
};

/** In whole units: what differs is the rule then, not the rounding of tiny numbers. */
const pricesArbitrary = fc
  .record({ cachedInput: fc.nat(100), over: fc.nat(900), write: fc.nat(900), output: fc.nat(5_000) })
  .map(({ cachedInput, over, write, output }) => {
    const input = cachedInput + over;
    return { input, cachedInput, cacheWrite: input + write, output };
  });

const factsArbitrary: fc.Arbitrary<PlannerFacts> = fc
  .record({
    tokensAfter: fc.nat(30_000),
    more: fc.integer({ min: -5_000, max: 200_000 }),
    stableShare: fc.double({ min: 0, max: 1, noNaN: true }),
    fresh: fc.nat(5_000),
    growth: fc.nat(5_000),
    remainingSteps: fc.nat(500),
    idleSeconds: fc.constantFrom(undefined, 0, 299, 300, 10_000),
    cacheSeconds: fc.constantFrom(undefined, 300),
    prices: pricesArbitrary,
  })
  .map(({ more, stableShare, fresh, ...facts }) => {
    const tokens = Math.max(1, facts.tokensAfter + more);
    const cachedTokens = Math.max(0, tokens - fresh);
    return {
      ...facts,
      tokens,
      cachedTokens,
      stableTokens: stableShare * facts.tokensAfter,
      triggerTokens: 250_000,
    };
  });

/** Tokens that have to gather before a compaction is the cheapest. */
const distance = (facts: PlannerFacts) =>
  Math.sqrt((2 * whenToCompact(facts).expectedCost * 1e6 * facts.growth) / facts.prices.cachedInput);
const yes = (facts: PlannerFacts) => whenToCompact(facts).compact;

it("never compacts below the trigger when nothing can be saved", () => {
  fc.assert(
    fc.property(factsArbitrary, fc.nat(10_000), (facts, more) => {
      const useless = { ...facts, tokensAfter: facts.tokens + more, triggerTokens: facts.tokens + 1 };
      expect(whenToCompact(useless)).toMatchObject({ compact: false, reason: "nothing-to-save" });
    }),
  );
});

it("always compacts at the trigger and above it", () => {
  fc.assert(
    fc.property(factsArbitrary, fc.nat(10_000), (facts, over) => {
      const due = { ...facts, triggerTokens: facts.tokens - over };
      expect(whenToCompact(due)).toMatchObject({ compact: true, reason: "trigger" });
    }),
  );
});

it("only ever compacts below the trigger for more than it costs", () => {
  fc.assert(
    fc.property(factsArbitrary, (facts) => {
      const { compact, expectedCost, expectedSaving } = whenToCompact(facts);
      expect(expectedCost).toBeGreaterThanOrEqual(0);
      expect(expectedSaving).toBeGreaterThanOrEqual(0);
      expect(compact && expectedSaving <= expectedCost).toBe(false);
    }),
  );
});

it("a yes stays a yes in a fuller context", () => {
  fc.assert(
    fc.property(factsArbitrary, fc.nat(50_000), (facts, more) => {
      const { tokens, cachedTokens } = facts;
      const fuller = { ...facts, tokens: tokens + more, cachedTokens: cachedTokens + more };
      expect(yes(facts) && !yes(fuller)).toBe(false);
    }),
  );
});

it("a yes stays a yes with more remaining steps or a higher price of cached tokens", () => {
  const share = fc.constantFrom(0, 0.25, 0.5, 1);
  fc.assert(
    fc.property(factsArbitrary, fc.nat(500), share, (facts, steps, dearer) => {
      expect(yes(facts) && !yes({ ...facts, remainingSteps: facts.remainingSteps + steps })).toBe(false);
      const { input, cachedInput } = facts.prices;
      const cached = cachedInput + dearer * (input - cachedInput);
      expect(yes(facts) && !yes({ ...facts, prices: { ...facts.prices, cachedInput: cached } })).toBe(false);
    }),
  );
});

it("a no stays a no when cache writes, the summary or rereads cost more", () => {
  const summary = { inputTokens: 10_000, cachedTokens: 0, outputTokens: 1_000 };
  fc.assert(
    fc.property(factsArbitrary, fc.nat(5_000), (facts, more) => {
      // While the cache is alive; once it has expired a dearer one is a reason to write less.
      const alive = { ...facts, idleSeconds: 0, stableTokens: 0, cachedTokens: facts.tokens };
      const { input, cacheWrite = input } = alive.prices;
      const dearer = { ...alive, prices: { ...alive.prices, cacheWrite: cacheWrite + more } };
      expect(!yes(alive) && yes(dearer)).toBe(false);
      expect(!yes(alive) && yes({ ...alive, summary })).toBe(false);
      expect(!yes(alive) && yes({ ...alive, rereadTokens: 1_200 + more })).toBe(false);
    }),
  );
});

it("the decision is the same for the same facts, and for prices in another currency", () => {
  fc.assert(
    fc.property(factsArbitrary, (facts) => {
      expect(whenToCompact(facts)).toEqual(whenToCompact(structuredClone(facts)));
      const doubled = Object.fromEntries(
        Object.entries(facts.prices).map(([name, price]) => [name, price * 2]),
      );
      const elsewhere = { ...facts, prices: doubled as unknown as Prices };
      expect(whenToCompact(elsewhere).reason).toBe(whenToCompact(facts).reason);
    }),
  );
});

it("waits for the cheapest distance between two compactions", () => {
  // Written anew: 4,000 tokens, and 1,200 that are read again; not written: the 500 that are new.
  const cost = 3.75 * (4_000 + 1_200 - 500) + 0.3 * (1_000 - 19_500);
  expect(whenToCompact(typical).expectedCost * 1e6).toBeCloseTo(cost, 6);

  const sizes = Array.from({ length: 200 }, (_, at) => 5_500 + at * 200);
  const at = (tokens: number) => ({ ...typical, tokens, cachedTokens: tokens - 500 });
  const first = sizes.find((tokens) => yes(at(tokens))) ?? 0;
  expect(first - 5_000).toBeGreaterThanOrEqual(distance(at(first)));
  expect(first - 200 - 5_000).toBeLessThan(distance(at(first - 200)));
});

it("comes within a tenth of the cheapest of all fixed distances", () => {
  const steps = 2_000;
  const bill = (fold: (tokens: number, left: number) => boolean) => {
    let [tokens, spent] = [5_000, 0];
    for (let step = 0; step < steps; step++) {
      tokens += 500;
      const [cached, after] = [tokens - 500, 5_000];
      const now = fold(tokens, steps - step - 1);
      spent += now
        ? 0.3 * 1_000 + 3.75 * (after - 1_000) + 3.75 * 1_200
        : 0.3 * cached + 3.75 * (tokens - cached);
      if (now) tokens = after;
    }
    return spent;
  };
  const planned = bill((tokens, remainingSteps) =>
    yes({ ...typical, tokens, cachedTokens: tokens - 500, remainingSteps }),
  );
  const fixed = Array.from({ length: 100 }, (_, at) => bill((tokens) => tokens - 5_000 >= (at + 1) * 500));
  expect(planned).toBeLessThan(1.1 * Math.min(...fixed));
});

it("compacts without waiting when the cache has expired", () => {
  const small = { ...typical, tokens: 8_000, cachedTokens: 7_500, cacheSeconds: 300 };
  expect(whenToCompact({ ...small, idleSeconds: 299 })).toMatchObject({
    compact: false,
    reason: "too-soon",
  });
  expect(whenToCompact({ ...small, idleSeconds: 300 })).toEqual({
    compact: true,
    reason: "cache-expired",
    expectedCost: 0,
    expectedSaving: (0.3 * 3_000 * 100) / 1e6,
  });
});

it("does not compact when the remaining steps do not recover the cost", () => {
  expect(whenToCompact({ ...typical, remainingSteps: 2 })).toMatchObject({
    compact: false,
    reason: "too-few-steps",
  });
});

it("refuses negative prices, prices that are not numbers, and cached input dearer than other input", () => {
  const refused = [
    { ...prices, input: -1 },
    { ...prices, output: Number.NaN },
    { ...prices, cachedInput: 4 },
  ];
  for (const wrong of refused) {
    expect(() => checkPrices("prices", wrong)).toThrow(ContextError);
  }
  expect(checkPrices("prices", { input: 1, cachedInput: 1, output: 0 })).toBeUndefined();
});
