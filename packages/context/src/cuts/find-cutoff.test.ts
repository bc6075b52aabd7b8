import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { historyArbitrary, talk } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { cutPoints } from "./cut-rules.js";
import { findCutoff, unseenStart } from "./find-cutoff.js";

const tokenCounter = estimateTokens;
const calls = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`c${k}`, ["ls"] as const]));
const results = Object.keys(calls).map((id) => talk.result(`r${id}`, id, "word ".repeat(100)));
const wide = [
  talk.human("h1", "find it"),
  talk.ai("a1", "looking"),
  talk.human("h2", "go on"),
  talk.calls("c", calls),
  ...results,
  talk.ai("a2", "found"),
];

describe("findCutoff", () => {
  it("keeps at least the messages asked for, and never half of ten parallel calls", () => {
    expect(findCutoff(wide, { keep: { messages: 1 }, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { messages: 5 }, tokenCounter })).toBe(3);
    expect(findCutoff(wide, { keep: { messages: 12 }, tokenCounter })).toBe(3);
    expect(findCutoff(wide, { keep: { messages: 13 }, tokenCounter })).toBe(2);
    expect(findCutoff(wide, { keep: { messages: 99 }, tokenCounter })).toBe(0);
  });

  it("keeps at most the tokens asked for", () => {
    expect(findCutoff(wide, { keep: { tokens: 20 }, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { tokens: 500 }, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { tokens: tokenCounter(wide.slice(3)) }, tokenCounter })).toBe(3);
    expect(findCutoff(wide, { keep: { tokens: 99_999 }, tokenCounter })).toBe(0);
  });

  it("keeps a share of the window", () => {
    expect(findCutoff(wide, { keep: { fraction: 0.1 }, contextWindow: 200, tokenCounter })).toBe(14);
    expect(findCutoff(wide, { keep: { fraction: 0.1 }, contextWindow: 999_990, tokenCounter })).toBe(0);
  });

  it("never cuts into what the model has not seen", () => {
    const unseen = wide.slice(0, -1);
    expect(findCutoff(unseen, { keep: { tokens: 1 }, tokenCounter })).toBe(3);
    expect(findCutoff([talk.human("h", "x")], { keep: { tokens: 1 }, tokenCounter })).toBe(0);
    expect(findCutoff([], { keep: { messages: 1 }, tokenCounter })).toBe(0);
  });

  it("returns a legal cut point that keeps what was asked for", () => {
    const amount = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(historyArbitrary(), amount, (messages, tokens) => {
        const byTokens = findCutoff(messages, { keep: { tokens }, tokenCounter });
        const byMessages = findCutoff(messages, { keep: { messages: tokens % 20 }, tokenCounter });
        const points = cutPoints(messages).filter((point) => point <= unseenStart(messages));
        expect(points).toContain(byTokens);
        expect(points).toContain(byMessages);
        expect(byMessages).toBeLessThanOrEqual(Math.max(0, messages.length - (tokens % 20)));
        const earlier = points.findLast((point) => point < byTokens);
        const more = earlier === undefined ? Infinity : tokenCounter(messages.slice(earlier));
        expect(more).toBeGreaterThan(tokens);
        const later = points.find((point) => point > byTokens);
        const fits = tokenCounter(messages.slice(byTokens)) <= tokens;
        expect(fits || later === undefined).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
