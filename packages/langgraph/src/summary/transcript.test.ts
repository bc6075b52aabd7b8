import { HumanMessage } from "@langchain/core/messages";
import { historyMarkdown } from "@palimpsest/context/internal";
import { historyArbitrary } from "@palimpsest/context/testing";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { transcript } from "./summary-prompt.js";

const count = (text: string) => text.length;
const long = (letter: string, length: number) =>
  new HumanMessage(`${letter}<${"x".repeat(length)}>${letter}`);

it("omits nothing and keeps every piece within its limit", () => {
  fc.assert(
    fc.property(historyArbitrary(), fc.integer({ min: 2, max: 500 }), (messages, tokens) => {
      const pieces = transcript(messages, { tokens, count });
      const whole = messages.map((message) => historyMarkdown([message]).replace("## 1. ", "## ")).join("");
      expect(pieces.join("")).toBe(whole);
      expect(pieces.filter((piece) => piece.length > tokens)).toEqual([]);
      expect(pieces).not.toContain("");
    }),
  );
});

it("splits no character", () => {
  const message = new HumanMessage("😀".repeat(101));
  const pieces = transcript([message], { tokens: 7, count });
  expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([]);
});

it("shortens the longest messages to the tokens that it may have, and no message that is short", () => {
  const messages = [long("a", 8_000), new HumanMessage("A short one."), long("b", 3_000), long("c", 500)];
  const [piece = "", ...more] = transcript(messages, { tokens: 10_000, count, inputTokens: 4_000 });
  expect(more).toEqual([]);
  expect(piece.length).toBeGreaterThan(3_500);
  expect(piece.length).toBeLessThan(4_200);
  expect(piece).toMatch(/a<x+\n\[… \d+ characters left out …\]\nx+>a/);
  expect(piece).toMatch(/b<x+\n\[… \d+ characters left out …\]\nx+>b/);
  expect(piece).toContain("A short one.");
  expect(piece).toContain(`c<${"x".repeat(500)}>c`);
});

it("shows the head of every message, and has about the tokens that it may have, whatever the messages", () => {
  fc.assert(
    fc.property(historyArbitrary(), fc.integer({ min: 1, max: 5_000 }), (messages, inputTokens) => {
      const text = transcript(messages, { tokens: 100_000, count, inputTokens }).join("");
      const whole = transcript(messages, { tokens: 100_000, count }).join("");
      expect(text.length).toBeLessThanOrEqual(
        Math.max(inputTokens, 200 * messages.length) + 60 * messages.length,
      );
      expect(whole.length > inputTokens || text === whole).toBe(true);
    }),
  );
});
