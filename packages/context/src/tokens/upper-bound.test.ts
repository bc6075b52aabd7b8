import * as fc from "fast-check";
import { expect, it } from "vitest";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "./estimate-tokens.js";
import { countWithGptTokenizer } from "./gpt-tokenizer.js";
import type { TokenCounter } from "./token-counter.js";
import { mayExceed, tokensAtMost } from "./upper-bound.js";

const bare: TokenCounter = (messages, parts) => estimateTokens(messages, parts);
const counters = [estimateTokens, countWithGptTokenizer, bare];

it("mayExceed finds every message besides the model's that a counter counts over a limit", () => {
  const long = fc.integer({ min: 0, max: 9_000 }).map((times) => talk.human("long", "a1".repeat(times)));
  const limits = fc.constantFrom(4, 100, 5_000, 13_000);
  fc.assert(
    fc.property(historyArbitrary({ maxTurns: 2 }), fc.array(long), limits, (history, added, limit) => {
      const messages = [...history, ...added];
      for (const count of counters) {
        const found = mayExceed(limit, messages, count);
        const missing = messages.filter(
          (message, index) =>
            message.getType() !== "ai" && count([message]) > limit && !found.includes(index),
        );
        expect(missing).toEqual([]);
      }
    }),
    { numRuns: 30 },
  );
});

it("mayExceed leaves out what is too short for the limit, and reads no text", () => {
  const messages = [talk.human("h", "a".repeat(30_000)), talk.result("r", "c", "a".repeat(19_000))];
  expect(mayExceed(20_000, messages, estimateTokens)).toEqual([0]);
  expect(mayExceed(100, messages, estimateTokens)).toEqual([0, 1]);
});

it("a counter without maxPerCharacter has no upper bound", () => {
  expect(tokensAtMost([talk.human("h", "a")], bare)).toBeUndefined();
  expect(mayExceed(20_000, [talk.human("h", "a")], bare)).toEqual([0]);
});
