import { ToolMessage, AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { estimateTokens, foldOf, type TokenCounter } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { foldContextTool } from "../folding/fold-context-tool.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { offloadTools } from "../tools/offload-tools.js";
import { countAhead, countedAhead, counterOfRun } from "./counted-ahead.js";

const overloaded = async () => Promise.reject<number>(new Error("429"));
const fail = () => undefined;
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

it("a text that was not counted ahead is estimated in proportion to what was, in its own thread alone", async () => {
  const count = counterOfRun(
    countedAhead(async (messages) => estimateTokens(messages) * 3),
    fail,
  );
  await countAhead(count, [seven]);
  const other = new HumanMessage("another text of some words");
  expect(count([other])).toBe(estimateTokens([other]) * 3);
});

const quadruple = async (messages: readonly BaseMessage[]) =>
  messages.reduce(
    (sum, message) => sum + estimateTokens([message]) * (message.text.includes("x") ? 4 : 1),
    0,
  );

const make = () =>
  compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 3_000, tokenCounter: quadruple });

it("what one thread holds changes nothing in the compaction of another one", async () => {
  const own = history({ steps: 60, result: (step) => filler(60, step) });
  const other = history({ steps: 60, result: (step) => `x ${filler(60, step)}` });
  const [alone, shared] = [make(), make()];
  await shared({ messages: other, compaction: {} }, inThread("other"));
  const after = async (node: typeof alone) =>
    messagesAfter(await node({ messages: own, compaction: {} }, inThread("mine")), own).map(({ id }) => id);
  const expected = await after(alone);
  expect(expected.length).toBeLessThan(own.length);
  expect(await after(shared)).toEqual(expected);
});

describe("a counter that throws at one text", () => {
  const hostile = filler(3_000, 7);
  const tokenCounter: TokenCounter = (messages, prompt) => {
    if (messages.some(({ text }) => text === hostile)) throw new Error("tokenizer crashed");
    return estimateTokens(messages, prompt);
  };
  const events: ContextEvent[] = [];
  const options = {
    files: VirtualFilesystem.inMemory(),
    contextWindow: 8_000,
    limits: { offload: 1_000 },
    tokenCounter,
    onEvent: (event: ContextEvent) => events.push(event),
  };
  const call = { type: "tool_call" as const, id: "c", name: "page", args: {} };
  const failures = () =>
    events.splice(0).flatMap((event) => (event.type === "context.fail" ? event.rung : []));

  it("counts all others, and estimates it", () => {
    const count = countedAhead(tokenCounter);
    const bad = new HumanMessage(hostile);
    expect(count([seven, bad])).toBe(estimateTokens([seven, bad]));
  });

  it("ends no tool of offloadTools, and its result is offloaded", async () => {
    const page = tool(() => hostile, { name: "page", schema: z.object({}) });
    const [offloading] = offloadTools([page], options);
    const result = (await offloading!.invoke(call as never, inThread("t") as never)) as BaseMessage;
    expect(foldOf(result)?.kind).toBe("offload");
    expect(failures()).toEqual(["counter"]);
  });

  it("ends no run of an agent with the middleware", async () => {
    const page = tool(() => hostile, { name: "page", schema: z.object({}) });
    const model = new ScriptedModel((prompt) =>
      prompt.some((message) => ToolMessage.isInstance(message))
        ? new AIMessage("Done.")
        : new AIMessage({ content: "", tool_calls: [call] }),
    );
    const middleware = [contextMiddleware({ ...options, summaryModel: "none", fileTools: [] })];
    const agent = createAgent({ model, tools: [page], middleware });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] }, inThread("t"));
    expect(messages.at(-1)?.text).toBe("Done.");
    expect(failures()).toEqual(["counter"]);
  });

  it("ends no condition and no fold_context, and the node compacts and reports it once", async () => {
    const messages = [
      ...history({ steps: 40, result: (step) => filler(150, step) }),
      new HumanMessage(hostile),
    ];
    expect(compactionCondition(options)({ messages, compaction: {} })).toBe("compact");
    const update = await compactionNode(options)({ messages, compaction: {} }, inThread("t"));
    expect(estimateTokens(messagesAfter(update, messages))).toBeLessThan(8_000);
    expect(failures()).toEqual(["counter"]);
    const folding = foldContextTool(options);
    const state = {
      messages: [
        ...messages,
        new AIMessage({
          content: "",
          tool_calls: [{ ...call, name: "fold_context", args: { summary: "x" } }],
        }),
      ],
    };
    await expect(folding.invoke({ summary: "x" }, { ...inThread("t"), state } as never)).resolves.toContain(
      "step",
    );
  });
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
    limits: { offload: 1_000 },
    tokenCounter: overloaded,
  };
  const [offloading] = offloadTools([page], options);
  const call = { type: "tool_call" as const, id: "c", name: "page", args: {} };
  const result = (await offloading!.invoke(call as never, inThread("t") as never)) as BaseMessage;
  expect(foldOf(result)?.kind).toBe("offload");
});
