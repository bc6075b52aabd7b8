import { expect, it } from "vitest";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { prefixOf } from "./prefix.js";

it("a prefix counts up to the first character that differs", () => {
  const before = [new HumanMessage("12345678"), new AIMessage("abcdefgh")];
  const now = [new HumanMessage("12345678"), new AIMessage("abcdXXXX"), new HumanMessage("more")];
  expect(prefixOf(before, now)).toEqual({ cached: 3, tokens: 5, isBroken: true });
  expect(prefixOf(before, [...before, new HumanMessage("more")])).toMatchObject({
    cached: 4,
    isBroken: false,
  });
});
