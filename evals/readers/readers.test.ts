import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Reading } from "./chat.js";
import { expectedAnswers, heldOut, rateOf, ratesOf } from "./rates.js";

it("an interval holds its share, and is narrower with more questions", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (count, share) => {
        const hits = Math.round(share * count);
        const [rate, more] = [rateOf(hits, count), rateOf(10 * hits, 10 * count)];
        expect(rate.low).toBeLessThanOrEqual(rate.share + 1e-9);
        expect(rate.high).toBeGreaterThanOrEqual(rate.share - 1e-9);
        expect(more.high - more.low).toBeLessThan(rate.high - rate.low);
      },
    ),
  );
});

it("a reader that answers what it sees and nothing else is predicted exactly", () => {
  const verdicts = Array.from({ length: 40 }, (_, at) => ({
    fact: `fact ${at}`,
    isCompacted: at < 20,
    isRecalled: at >= 20,
  }));
  const part = { run: "run", model: "m", questionsPerPrompt: 1, compactedShare: 0.5, summaryTokens: 9 };
  const reading: Reading = { ...part, verdicts };
  expect(expectedAnswers(0.25, ratesOf([reading])).share).toBe(0.25);
  for (const { expected, answered } of heldOut([reading])) expect(expected.share).toBe(answered.share);
});
