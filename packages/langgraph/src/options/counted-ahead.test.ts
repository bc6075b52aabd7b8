import { HumanMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { history } from "../testing/history.js";
import { countAhead, countedAhead } from "./counted-ahead.js";

const seven = new HumanMessage("seven");

it("a counter that returns promises is asked once for each message, and its number holds", async () => {
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

it("a compaction goes by what the counter promised", async () => {
  const messages = history({ steps: 12 });
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 100_000, keep: { messages: 4 } };
  const due = compactionNode({ ...options, tokenCounter: async (counted) => counted.length * 9_000 });
  const early = compactionNode({ ...options, tokenCounter: async (counted) => counted.length * 9 });
  expect(Object.keys(await due({ messages, compaction: {} }, inThread("t")))).toContain("messages");
  expect(Object.keys(await early({ messages, compaction: {} }, inThread("t")))).not.toContain("messages");
});
