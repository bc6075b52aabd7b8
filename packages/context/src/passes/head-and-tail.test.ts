import { HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { textArbitrary } from "../testing/index.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { headAndTail } from "./head-and-tail.js";

const path = "/context/steps/0-3fa9c1.md";
const tokenCounter = estimateTokens;

it("a text that is too long keeps its beginning, its end, its rules and the path of the whole", () => {
  const rows = Array.from({ length: 900 }, (_, row) => `${row} ${row * 31}`).join("\n");
  const text = `Sum up this log.\n${rows}\nNever name a customer in the summary.\n${rows}\nAnswer in French.`;
  const short = headAndTail(text, { tokens: 300, path, tokenCounter });
  expect(short.startsWith("Sum up this log.\n")).toBe(true);
  expect(short.endsWith("Answer in French.")).toBe(true);
  expect(short).toContain("- Never name a customer in the summary.");
  expect(short).toContain(path);
  expect(tokenCounter([new HumanMessage(short)])).toBeGreaterThan(250);
});

it("the beginning and the end of any text have at most the maximum tokens, and split no character", () => {
  fc.assert(
    fc.property(textArbitrary(200), fc.integer({ min: 60, max: 1_000 }), (text, tokens) => {
      fc.pre(tokenCounter([new HumanMessage(text)]) > tokens);
      const short = headAndTail(text, { tokens, path, tokenCounter });
      expect(tokenCounter([new HumanMessage(short)])).toBeLessThanOrEqual(tokens);
      expect(short).toContain(path);
      expect(text.isWellFormed() && !short.isWellFormed()).toBe(false);
    }),
  );
});
