import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { illegalities } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { filler, history, messagesAfter } from "../../testing/history.js";
import { predictiveContextNode } from "../predictive-context-node.js";

async function sent(messages: readonly BaseMessage[], budget: number) {
  const node = predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget, onError: "throw" });
  const after = messagesAfter(await node({ messages }, { configurable: { thread_id: "t" } }), messages);
  expect(illegalities(after)).toEqual([]);
  expect(estimateTokens(after)).toBeLessThanOrEqual(budget);
  return { share: estimateTokens(after) / budget, text: after.map(({ text }) => text).join("\n") };
}

const chat = Array.from({ length: 120 }, (_, turn) => [
  new HumanMessage({ id: `u${turn}`, content: `Tell me about place number ${turn} on the way.` }),
  new AIMessage({ id: `a${turn}`, content: `Place ${turn} has a market, a mill and ${turn * 7} houses.` }),
]).flat();

it.each(["Go on.", "Why?", "继续"])(
  "a question like %s is sent with the newest turns of the chat",
  async (question) => {
    const { share, text } = await sent([...chat, new HumanMessage({ id: "q", content: question })], 3_000);
    expect(share).toBeGreaterThan(0.75);
    for (let turn = 100; turn < 120; turn++) expect(text).toContain(`Place ${turn} has a market`);
  },
);

it("a long first message of the user leaves room for the newest results", async () => {
  const [, ...steps] = history({ steps: 60, result: (step) => `Result ${step}: ${filler(60, step)}` });
  const demonstration = new HumanMessage({ id: "question", content: filler(6_000, 99) });
  const { share, text } = await sent([demonstration, ...steps], 8_000);
  expect(share).toBeGreaterThan(0.75);
  for (let step = 54; step < 60; step++) expect(text).toContain(`Result ${step}:`);
});
