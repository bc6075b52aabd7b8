import { HumanMessage } from "@langchain/core/messages";
import { historyMarkdown } from "@palimpsest/context/internal";
import { historyArbitrary } from "@palimpsest/context/testing";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { transcript } from "./summary-prompt.js";

const count = (text: string) => text.length;

it("leaves nothing out and makes no piece larger than it may be", () => {
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

it("cuts no character in two", () => {
  const message = new HumanMessage("😀".repeat(101));
  const pieces = transcript([message], { tokens: 7, count });
  expect(pieces.filter((piece) => !piece.isWellFormed())).toEqual([]);
});
