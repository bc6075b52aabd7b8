import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { unfold } from "../folds/unfold.js";
import { historyArbitrary } from "./history-arbitrary.js";
import { readerOf, recordWrites } from "./record-writes.js";

const sample = fc.sample(historyArbitrary(), { numRuns: 400, seed: 1 });
const all = sample.flat();
const blocks = all.flatMap(({ content }) => (Array.isArray(content) ? content : []));

function callIds(message: BaseMessage): readonly string[] {
  return ((message as AIMessage).tool_calls ?? []).map(({ id }) => id ?? "");
}

it.each<[string, () => boolean]>([
  ["every kind of message", () => new Set(all.map((message) => message.constructor)).size >= 6],
  ["calls in parallel", () => all.some((message) => callIds(message).length >= 4)],
  [
    "call ids that come again",
    () => all.filter((message) => callIds(message).includes("call_0")).length > 20,
  ],
  [
    "blocks of providers",
    () => blocks.some(({ type }) => type === "tool_use" || type === "redacted_thinking"),
  ],
  ["standard reasoning", () => blocks.some((block) => block["reasoning"] !== undefined)],
  ["signed parts", () => blocks.some((block) => block["thoughtSignature"] !== undefined)],
  ["stored reasoning items", () => all.some(({ additional_kwargs: kwargs }) => "reasoning" in kwargs)],
  ["pictures", () => blocks.some(({ type }) => type === "image_url")],
  ["usage", () => all.some((message) => (message as AIMessage).usage_metadata !== undefined)],
  ["broken calls", () => all.some((message) => ((message as AIMessage).invalid_tool_calls ?? []).length > 0)],
  ["raw calls", () => all.some(({ additional_kwargs }) => additional_kwargs["tool_calls"] !== undefined)],
  ["errors", () => all.some((message) => (message as ToolMessage).status === "error")],
  ["artifacts", () => all.some((message) => (message as ToolMessage).artifact !== undefined)],
  ["orphans", () => all.some((message) => (message as ToolMessage).tool_call_id === "nobody")],
  ["missing ids", () => all.some(({ id }) => id === undefined)],
  ["repeated ids", () => sample.some((list) => list.filter(({ id }) => id === "m0").length > 1)],
  [
    "lone surrogates",
    () => all.some(({ content }) => typeof content === "string" && !content.isWellFormed()),
  ],
  ["long texts", () => all.some(({ content }) => typeof content === "string" && content.length > 1_500)],
  ["nothing at all", () => sample.some((list) => list.length === 0)],
])("historyArbitrary generates %s", (_, found) => {
  expect(found()).toBe(true);
});

it("historyArbitrary shrinks to a short history", () => {
  const failed = fc.check(
    fc.property(historyArbitrary(), (messages) => messages.every((message) => message.getType() !== "tool")),
    { seed: 7 },
  );
  expect(failed.failed).toBe(true);
  expect(failed.counterexample?.[0].length).toBeLessThanOrEqual(3);
});

it("recordWrites refuses a second content for a path, and readerOf a path that was never written", async () => {
  const archive = new Map<string, string>();
  recordWrites(archive, [{ path: "/a", content: "1" }]);
  recordWrites(archive, [{ path: "/a", content: "1" }]);
  expect([...archive]).toEqual([["/a", "1"]]);
  expect(() => recordWrites(archive, [{ path: "/a", content: "2" }])).toThrow(
    "/a was written with two contents",
  );
  await expect(readerOf(archive)("/b")).rejects.toThrow("/b is not in the archive");
  await expect(unfold([], readerOf(archive))).resolves.toEqual([]);
});
