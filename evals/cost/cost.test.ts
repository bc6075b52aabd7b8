import { expect, it } from "vitest";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { cost } from "./cost.js";
import { prefixOf } from "./prefix.js";

it("every setting of ours keeps the goal and sends legal prompts inside the window, at most a quarter over the bill of the others", async () => {
  const result = await cost({ quick: true, args: [], progress: () => undefined });
  expect(result).toMatchObject({ passed: true });
  expect(result.cases).toBeGreaterThan(30);
});

it("a prefix counts up to the first character that differs", () => {
  const before = [new HumanMessage("12345678"), new AIMessage("abcdefgh")];
  const now = [new HumanMessage("12345678"), new AIMessage("abcdXXXX"), new HumanMessage("more")];
  expect(prefixOf(before, now)).toEqual({ cached: 3, tokens: 5, isBroken: true });
  expect(prefixOf(before, [...before, new HumanMessage("more")])).toMatchObject({
    cached: 4,
    isBroken: false,
  });
});
