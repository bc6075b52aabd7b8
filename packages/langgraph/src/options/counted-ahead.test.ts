import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { offloadTools } from "../tools/offload-tools.js";
import { countAhead, countedAhead } from "./counted-ahead.js";

const overloaded = async () => Promise.reject<number>(new Error("429"));
const seven = new HumanMessage("seven");

it("a counter that returns promises is called once for each message, and its number is used", async () => {
  let calls = 0;
  const count = countedAhead(async (messages) => {
    calls += 1;
    return messages.length * 7;
  });
  await countAhead(count, [seven]);
  await countAhead(count, [seven]);
  expect([count([seven]), count([seven, seven]), calls]).toEqual([7, 14, 1]);
});

it("a text that was not counted ahead is estimated in proportion to what was", async () => {
  const count = countedAhead(async (messages) => estimateTokens(messages) * 3);
  await countAhead(count, [seven]);
  const other = new HumanMessage("another text of some words");
  expect(count([other])).toBe(estimateTokens([other]) * 3);
});

it("a counter that returns numbers is called with the whole list", () => {
  const lengths: number[] = [];
  const count = countedAhead((messages) => lengths.push(messages.length));
  count([seven, seven]);
  expect(lengths).toEqual([2]);
});

it("a compaction uses the numbers of an asynchronous counter", async () => {
  const messages = history({ steps: 12 });
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 100_000, keep: { messages: 4 } };
  const due = compactionNode({ ...options, tokenCounter: async (counted) => counted.length * 9_000 });
  const early = compactionNode({ ...options, tokenCounter: async (counted) => counted.length * 9 });
  expect(Object.keys(await due({ messages, compaction: {} }, inThread("t")))).toContain("messages");
  expect(Object.keys(await early({ messages, compaction: {} }, inThread("t")))).not.toContain("messages");
});

it("a counter that rejects is reported, and the context is compacted by an estimate", async () => {
  const messages = history({ steps: 60, result: (step) => filler(100, step) });
  const events: ContextEvent[] = [];
  const options = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 4_000,
    tokenCounter: overloaded,
    onEvent: (event: ContextEvent) => events.push(event),
  };
  const update = await compactionNode(options)({ messages, compaction: {} }, inThread("t"));
  expect(estimateTokens(messagesAfter(update, messages))).toBeLessThan(4_000);
  const failures = events.filter((event) => event.type === "context.fail");
  expect(failures).toMatchObject([{ rung: "counter", next: "estimate" }]);
  const strict = compactionNode({ ...options, onError: "throw" });
  await expect(strict({ messages, compaction: {} }, inThread("t"))).rejects.toThrow("429");
});

it("the result of a tool is not lost if the counter rejects", async () => {
  const page = tool(() => filler(3_000), { name: "page", schema: z.object({}) });
  const options = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 8_000,
    offloadTokens: 1_000,
    tokenCounter: overloaded,
  };
  const [offloading] = offloadTools([page], options);
  const call = { type: "tool_call" as const, id: "c", name: "page", args: {} };
  const result = (await offloading!.invoke(call as never, inThread("t") as never)) as BaseMessage;
  expect(foldOf(result)?.kind).toBe("offload");
});
