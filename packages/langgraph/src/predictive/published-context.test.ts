import { AIMessage, SystemMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { estimateTokens, foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { filler, history, messagesAfter } from "../testing/history.js";
import { glimpseTool } from "./glimpse-tool.js";
import { predictiveContextNode } from "./predictive-context-node.js";

const config = { configurable: { thread_id: "t" } };
const policy = "pace" as const;

/** Returns the context of PACE after these messages. */
async function select(
  messages: readonly BaseMessage[],
  budget: number,
  files = VirtualFilesystem.inMemory(),
) {
  const node = predictiveContextNode({ files, budget, policy, from: "start", maxSteps: 100_000 });
  return messagesAfter(await node({ messages }, config), messages);
}

it("a context of PACE is the system prompt, the question, the selected steps in order, and the newest steps whole", async () => {
  const steps = history({ steps: 40, result: (step) => filler(300, step) });
  const context = await select([new SystemMessage({ id: "host", content: "Be brief." }), ...steps], 6_000);
  const record = context.findIndex((message) => foldOf(message) !== undefined);
  expect(context.slice(0, record).map(({ id }) => id)).toEqual(["host", "question"]);
  expect(context.slice(-4).map(({ id }) => id)).toEqual(["ai-38", "result-38", "ai-39", "result-39"]);
  const selected = context.slice(record, -4);
  expect(selected.every((message) => foldOf(message)?.kind === "chunk")).toBe(true);
  const shown = selected.flatMap(({ text }) => [...text.matchAll(/^\[(\d+)-[0-9a-f]{6}:1, \w+\]$/gm)]);
  const order = shown.map(([, step]) => Number(step));
  expect(order.length).toBeGreaterThan(3);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

it("the pressure on the thresholds is the size of the context, system prompt included, as a share of the budget", async () => {
  const steps = history({ steps: 12, result: (step) => filler(100, step) });
  const budget = 20_000;
  const pressureOf = async (messages: readonly BaseMessage[]) => {
    const context = await select(messages, budget);
    return context.flatMap((message) => foldOf(message)?.pace?.pressure ?? [])[0];
  };
  expect(await pressureOf(steps)).toBeCloseTo(estimateTokens(steps) / budget, 6);
  const prompted = [new SystemMessage({ id: "host", content: filler(4_000) }), ...steps];
  expect(await pressureOf(prompted)).toBeCloseTo(estimateTokens(prompted) / budget, 6);
});

it("what a glimpse shows counts in the budget of the next step", async () => {
  const files = VirtualFilesystem.inMemory();
  const budget = 6_000;
  const steps = history({ steps: 40, result: (step) => filler(1_000, step) });
  const before = await select(steps, budget, files);
  const calls = ["7", "8"].map((step) => ({ id: `g${step}`, name: "glimpse", args: { step } }));
  const asks = new AIMessage({ id: "asks", content: "", tool_calls: calls });
  const { messages: shown } = (await new ToolNode([glimpseTool({ files })]).invoke(
    { messages: [...before, asks] },
    config,
  )) as { messages: ToolMessage[] };
  const glimpsed = [
    ...before,
    asks,
    ...shown.map((message, at) => Object.assign(message, { id: `seen${at}` })),
  ];
  expect(estimateTokens(glimpsed)).toBeGreaterThan(budget);
  const after = await select(glimpsed, budget, files);
  expect(estimateTokens(after)).toBeLessThanOrEqual(budget);
  const results = after.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
  expect(results).toEqual(expect.arrayContaining(shown.map(({ text }) => text)));
});
