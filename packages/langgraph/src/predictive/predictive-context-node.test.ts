import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesValue, Overwrite, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens, foldOf, toStoredMessage, unfold, withIds } from "@palimpsest/context";
import {
  addedIllegalities,
  historyArbitrary,
  illegalities,
  messageImage,
  heldOriginals,
} from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContextEvent } from "../context-event.js";
import { agentGraph, inThread } from "../testing/agent-graph.js";
import { FailingDriver, unfolded } from "../testing/storage.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { fileTools } from "../tools/file-tools.js";
import { predictiveContextNode } from "./predictive-context-node.js";

const budget = 6_000;
const config = { configurable: { thread_id: "t" } };
const policies = ["reuse", "pace"] as const;

describe.each(policies)("policy %s", (policy) => {
  it("keeps every prompt legal and under the budget, and loses nothing", async () => {
    const files = VirtualFilesystem.inMemory();
    const job = readingJob({ pages: 60, parallel: 2, lines: 30 });
    const graph = agentGraph({ ...job, compact: predictiveContextNode({ files, budget, policy }) });
    const { messages } = await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));

    expect(job.model.prompts).toHaveLength(31);
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(
      budget,
    );
    expect(job.model.prompts.every((prompt) => prompt[0]?.text === "Read the book atlas.")).toBe(true);
    expect(await unfolded(messages, files, "t")).toEqual(job.thread("atlas"));
  });

  it.each(["messages", "context"])(
    "selects a message as the host has edited it, in the key %s",
    async (outputKey) => {
      const files = VirtualFilesystem.inMemory();
      const node = predictiveContextNode({ files, budget, policy, outputKey });
      const isView = outputKey === "context";
      const steps = history({ steps: 80, result: (step) => filler(200, step) });
      const ask = new HumanMessage({ id: "ask", content: "What is OLDWORD?" });
      const thread = [...steps.slice(0, 81), new AIMessage({ id: "end", content: "Done." }), ask];
      const first = await node({ messages: thread, context: [] }, config);
      const sent = isView ? (first["context"] as BaseMessage[]) : messagesAfter(first, thread);
      expect(sent.map(({ text }) => text)).toContain("What is OLDWORD?");

      const edited = new HumanMessage({ id: "ask", content: "What is NEWWORD?" });
      const withEdit = (list: readonly BaseMessage[]) => [
        ...list.map((message) => (message.id === "ask" ? edited : message)),
        ...steps.slice(81),
      ];
      const state = isView ? { messages: withEdit(thread), context: sent } : { messages: withEdit(sent) };
      const second = await node(state, config);
      const after = isView ? (second["context"] as BaseMessage[]) : messagesAfter(second, state.messages);
      const texts = after.map(({ text }) => text).join("\n");
      expect(texts).toContain("What is NEWWORD?");
      expect(texts).not.toContain("OLDWORD");
    },
  );

  it("selects the same context in a new node as in the old one", async () => {
    const messages = history({ steps: 60, result: (step) => filler(300, step) });
    const options = { files: VirtualFilesystem.inMemory(), budget, policy };
    const lasting = predictiveContextNode(options);
    let before: readonly BaseMessage[] = messages.slice(0, 61);
    before = messagesAfter(await lasting({ messages: before }, config), before);
    const next = [...before, ...messages.slice(61)];
    const one = messagesAfter(await lasting({ messages: next }, config), next);
    const other = messagesAfter(await predictiveContextNode(options)({ messages: next }, config), next);
    expect(one.map((message) => toStoredMessage(message))).toEqual(
      other.map((message) => toStoredMessage(message)),
    );
  });

  it("stays legal and under the budget and unfolds to every byte, over generated histories", async () => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary(), fc.integer({ min: 400, max: 3_000 }), async (messages, most) => {
        const files = VirtualFilesystem.inMemory();
        const node = predictiveContextNode({ files, budget: most, policy, onError: "throw" });
        const after = messagesAfter(await node({ messages }, config), messages);
        const expected = after === messages ? messages : withIds(messages);
        expect(addedIllegalities(expected, after)).toEqual([]);
        expect(estimateTokens(after)).toBeLessThanOrEqual(most);
        const { archive } = files.thread("t");
        const opened = await unfold(after, (path) => archive.readText(path));
        expect(opened.map((message) => messageImage(message))).toEqual(
          expected.map((message) => messageImage(message)),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe("predictive context as a view", () => {
  const State = new StateSchema({
    messages: MessagesValue,
    context: z.custom<BaseMessage[]>().default(() => []),
  });

  it("leaves the thread whole and stays under the budget, also after a restart", async () => {
    const files = VirtualFilesystem.inMemory();
    const job = readingJob({ pages: 40, lines: 30 });
    const checkpointer = new MemorySaver();
    const build = () =>
      new StateGraph(State)
        .addNode("model", async ({ context }) => ({ messages: [await job.model.invoke(context)] }))
        .addNode("tools", new ToolNode(job.tools))
        .addNode("predict", predictiveContextNode({ files, budget, outputKey: "context" }))
        .addEdge(START, "predict")
        .addEdge("predict", "model")
        .addConditionalEdges("model", toolsCondition)
        .addEdge("tools", "predict")
        .compile({ checkpointer });
    await build().invoke({ messages: [job.ask("atlas")] }, inThread("t"));
    const { messages } = await build().invoke({ messages: [new HumanMessage("And now?")] }, inThread("t"));
    expect(messages.length).toBeGreaterThanOrEqual(2 * 40 + 3);
    expect(messages.some((message) => foldOf(message) !== undefined)).toBe(false);
    expect(Math.max(...job.model.prompts.map((prompt) => estimateTokens(prompt)))).toBeLessThanOrEqual(
      budget,
    );
    expect(job.model.prompts.flatMap((prompt) => illegalities(prompt))).toEqual([]);
  });
});

describe("reuse coverage", () => {
  it("shows lines of a file from an early step again when the user returns to it", async () => {
    const files = VirtualFilesystem.inMemory();
    const secret = "const retryLimitForPayments = 7;";
    const steps = history({
      steps: 80,
      result: (step) => (step === 2 ? `${filler(100, 2)}\n${secret}\n${filler(100, 3)}` : filler(300, step)),
    });
    const back = new HumanMessage({ id: "back", content: "What was retryLimitForPayments set to?" });
    const messages = [...steps, new AIMessage({ id: "done", content: "Done." }), back];
    const after = messagesAfter(
      await predictiveContextNode({ files, budget })({ messages }, config),
      messages,
    );
    expect(estimateTokens(after)).toBeLessThanOrEqual(budget);
    expect(after.some((message) => message.text.includes(secret))).toBe(true);
    expect(after.at(-1)?.text).toBe(back.content);
  });

  it("keeps the prompt prefix until the budget is full", async () => {
    const files = VirtualFilesystem.inMemory();
    const job = readingJob({ pages: 50, lines: 12 });
    const graph = agentGraph({ ...job, compact: predictiveContextNode({ files, budget }) });
    await graph.invoke({ messages: [job.ask("atlas")] }, inThread("t"));
    const { prompts } = job.model;
    const changed = prompts.slice(1).filter((prompt, at) => {
      const before = prompts[at] ?? [];
      return stored(prompt.slice(0, before.length)) !== stored(before);
    });
    expect(changed.length).toBeGreaterThan(2);
    expect(changed.length).toBeLessThan(prompts.length / 3);
  });
});

it.each(["messages", "context"])(
  "predictive context keeps within its budget when the archive refuses a write, reports it, and holds the originals: under the key %s",
  async (outputKey) => {
    const driver = new FailingDriver();
    const events: ContextEvent[] = [];
    const files = new VirtualFilesystem({ driver });
    const options = { files, budget, outputKey, onEvent: (event: ContextEvent) => void events.push(event) };
    const messages = history({ steps: 60, result: (step) => filler(300, step) });
    const thread = messages.map((message) => toStoredMessage(message));
    driver.full = true;
    const held = valueAt(await predictiveContextNode(options)({ messages }, config), outputKey);
    expect(events).toEqual([expect.objectContaining({ type: "context.fail", rung: "archive" })]);
    expect(estimateTokens(held)).toBeLessThanOrEqual(budget);
    expect(await unfolded(held, files, "t")).toEqual(thread);
    const [path = ""] = held.flatMap((message) => foldOf(message)?.path ?? []);
    const read = fileTools({ files }).find(({ name }) => name === "read_file");
    const text = String(await read?.invoke({ path }, { ...config, state: { messages: held } } as never));
    expect(text).toContain("->");
    driver.full = false;
    const state = { messages, [outputKey]: held };
    // Another process: the memory of the first one is gone.
    const written = valueAt(await predictiveContextNode(options)(state, config), outputKey);
    expect(heldOriginals(written).size).toBe(0);
    expect(estimateTokens(written)).toBeLessThanOrEqual(budget);
    expect(await unfolded(written, files, "t")).toEqual(thread);
  },
);

function valueAt(update: Readonly<Record<string, unknown>>, key: string): readonly BaseMessage[] {
  const value = update[key];
  return Overwrite.isInstance<BaseMessage[]>(value) ? value.value : (value as BaseMessage[]);
}

it("predictive context changes nothing under the budget", async () => {
  const messages = history({ steps: 5 });
  expect(
    await predictiveContextNode({ files: VirtualFilesystem.inMemory(), budget })({ messages }, config),
  ).toEqual({});
});

it("predictiveContextNode refuses options that cannot work", () => {
  const files = VirtualFilesystem.inMemory();
  expect(() => predictiveContextNode({ files })).toThrow("budget");
  expect(() => predictiveContextNode({ files, budget, targetFraction: 1.5 })).toThrow(
    "targetFraction is 1.5",
  );
  expect(() => predictiveContextNode({ files, budget: 0 })).toThrow("budget is 0");
  expect(() => predictiveContextNode({ files, budget, policy: "best" as never })).toThrow(
    'use "reuse" or "pace"',
  );
});

function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map((one) => toStoredMessage(one)));
}
