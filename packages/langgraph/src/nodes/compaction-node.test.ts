import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { copyMessage, estimateTokens, foldOf, toStoredMessage } from "@palimpsest/context";
import { withNote } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { agentGraph, agentState, inThread } from "../testing/agent-graph.js";
import { FailingDriver, unfolded } from "../testing/storage.js";
import { filler, history, messagesAfter } from "../testing/history.js";
import { readingJob } from "../testing/reading-job.js";
import { ScriptedModel } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";
import { compactionNode } from "./compaction-node.js";

const config = inThread("t");

interface Run extends Partial<ContextOptions> {
  readonly pages: number;
  readonly question?: HumanMessage;
}

/** Reads a book in a graph with the node, and returns all there is to look at. */
async function read({ pages, question, ...options }: Run) {
  const files = options.files ?? VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const job = readingJob({ pages, lines: 30 });
  const onEvent = (event: ContextEvent) => events.push(event);
  const compact = compactionNode({ contextWindow: 12_000, ...options, files, onEvent });
  const graph = agentGraph({ model: job.model, tools: job.tools, compact });
  const asked = job.ask("atlas");
  const { messages } = await graph.invoke({ messages: [...(question ? [question] : []), asked] }, config);
  const sizes = job.model.prompts.map((prompt) => estimateTokens(prompt));
  const compactions = events.filter(({ type }) => type === "context.compaction");
  return { job, files, events, messages, sizes, compactions, thread: job.thread("atlas") };
}

const quota = (step: number) => `The quota of the northern depot is ${4_000 + step} from now on.`;

describe("the ladder", () => {
  it("stops at the cheapest rung that brings the context down", async () => {
    const files = VirtualFilesystem.inMemory();
    const rungs = {
      stale: reading(20, () => "/a.md", 300),
      input: history({ steps: 20, args: (step) => ({ text: filler(900, step) }) }),
      mask: history({ steps: 20, result: (step) => filler(300, step) }),
      summary: history({ steps: 8, result: (step) => filler(300, step) }),
    };
    for (const [kind, messages] of Object.entries(rungs)) {
      const contextWindow = Math.round(estimateTokens(messages) / 0.86);
      const sizes = { contextWindow, limits: { batch: 100_000, offload: 100_000 } };
      const kindsWith = async (model: Pick<ContextOptions, "model">) => {
        const node = compactionNode({ files, ...sizes, ...model });
        const after = messagesAfter(await node({ messages }, config), messages);
        return [...new Set(after.flatMap((message) => foldOf(message)?.kind ?? []))];
      };
      const model = new ScriptedModel(() => new AIMessage("## Findings\n- pages"));
      expect(await kindsWith({ model })).toEqual([kind]);
      // A summary that no model writes costs nothing, so nothing is masked in its place.
      expect(await kindsWith({})).toEqual([kind === "mask" ? "summary" : kind]);
    }
  });

  it("shows without a summary model the newest value of an old result", async () => {
    const files = VirtualFilesystem.inMemory();
    const result = (step: number) => `${filler(300, step)}\n${step < 5 ? quota(step) : ""}`;
    const messages = history({ steps: 20, result });
    const contextWindow = Math.round(estimateTokens(messages) / 0.86);
    const after = messagesAfter(
      await compactionNode({ files, contextWindow })({ messages }, config),
      messages,
    );
    expect(after.map(({ text }) => text).join("\n")).toContain(quota(4));
  });

  it("is rare: the context grows for several steps before the next compaction, and its beginning is byte-stable", async () => {
    const { compactions, job, files, messages, thread } = await read({ pages: 80 });
    const changed = job.model.prompts.slice(1).filter((prompt, index) => {
      const before = job.model.prompts[index] ?? [];
      return stored(prompt.slice(0, before.length)) !== stored(before);
    });
    expect(compactions.length).toBeGreaterThan(3);
    expect(changed).toHaveLength(compactions.length);
    expect(compactions.length).toBeLessThan(80 / 6);
    expect(await unfolded(messages, files, "t")).toEqual(thread);
  });

  it("shortens the list, not only its text, for a trigger in messages", async () => {
    const { compactions, job } = await read({ pages: 60, trigger: { messages: 30 }, keep: { messages: 8 } });
    expect(Math.max(...job.model.prompts.map((prompt) => prompt.length))).toBeLessThan(32);
    expect(compactions.length).toBeLessThan(8);
    expect(compactions.length).toBeGreaterThan(3);
  });

  it("writes a summary that fits into a small window, however many files it could name", async () => {
    const model = { invoke: async () => new AIMessage("## Findings\n- a finding") };
    const messages = reading(200, (step) => `/${"directory/".repeat(18)}${step}.md`, 1);
    const contextWindow = 1_000;
    const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow, model });
    const after = messagesAfter(await node({ messages }, config), messages);
    expect(foldOf(after[1]!)?.kind).toBe("summary");
    expect(estimateTokens(after)).toBeLessThan(contextWindow);
  });
});

describe("a floor above the trigger", () => {
  const floored = {
    question: new HumanMessage({ id: "rules", content: filler(11_000) }),
    pin: isRules,
    limits: { userMessages: 20_000 },
    contextWindow: 30_000,
    trigger: { tokens: 5_000 },
    keep: { tokens: 500 },
  };

  it("is reported once over many steps, and nothing loops", async () => {
    const { events, job } = await read({ pages: 20, ...floored });
    expect(events).toEqual([
      expect.objectContaining({ type: "context.skip", due: "trigger", reason: "floor", threadId: "t" }),
    ]);
    expect(job.model.prompts).toHaveLength(21);
  });

  it("still leaves the context inside the window, in compactions that stay rare", async () => {
    const { events, sizes, compactions, messages, files, thread } = await read({ pages: 100, ...floored });
    expect(Math.max(...sizes)).toBeLessThan(30_000);
    expect(compactions.length).toBeGreaterThan(1);
    expect(compactions.length).toBeLessThan(8);
    expect(events.filter(({ type }) => type === "context.skip")).toHaveLength(1);
    expect(await unfolded(messages, files, "t")).toEqual([toStoredMessage(floored.question), ...thread]);
  });
});

/** Reads a book in a graph with or without the channel, whose archive is full; counts the summaries paid for. */
async function refused(state: typeof agentState | typeof MessagesAnnotation) {
  const job = readingJob({ pages: 16, lines: 4 });
  const past = [
    ...history({ steps: 3, result: (step) => filler(2_000, step) }),
    new AIMessage({ id: "said", content: "That was the past." }),
  ];
  const driver = new FailingDriver();
  driver.full = true;
  const model = new ScriptedModel(() => new AIMessage("## Findings\n- all is well"));
  const files = new VirtualFilesystem({ driver });
  const options = {
    files,
    model,
    contextWindow: 200_000,
    trigger: { tokens: 3_000 },
    keep: { tokens: 500 },
  };
  const graph = new StateGraph(state as unknown as typeof MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await job.model.invoke(messages)] }))
    .addNode("tools", new ToolNode(job.tools))
    .addNode("compact", compactionNode(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: [...past, job.ask("atlas")] }, { ...config, recursionLimit: 300 });
  const thread = await readThread(graph, config, { files });
  const happened = [...past.map((message) => toStoredMessage(message)), ...job.thread("atlas")];
  return { job, summaries: model.prompts.length, thread, happened };
}

describe("a graph without the compaction channel", () => {
  it("reports once that what must stay is too large", async () => {
    const job = readingJob({ pages: 20 });
    const events: ContextEvent[] = [];
    const { question, ...options } = {
      question: new HumanMessage({ id: "rules", content: filler(6_000) }),
      files: VirtualFilesystem.inMemory(),
      pin: () => true,
      contextWindow: 200_000,
      trigger: { tokens: 5_000 },
      keep: { tokens: 500 },
      onEvent: (event: ContextEvent) => events.push(event),
    };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await job.model.invoke(messages)] }))
      .addNode("tools", new ToolNode(job.tools))
      .addNode("compact", compactionNode(options))
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "compact")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ messages: [question, job.ask("atlas")] }, { ...config, recursionLimit: 200 });
    expect(job.model.prompts).toHaveLength(21);
    expect(events.map(({ type }) => type)).toEqual(["context.skip"]);
    await graph.invoke({ messages: [new HumanMessage("And now?")] }, config);
    expect(events.map(({ type }) => type)).toEqual(["context.skip"]);
  });

  it("does not pay for a refused summary at each step, like a graph with the channel", async () => {
    const without = await refused(MessagesAnnotation);
    const within = await refused(agentState);
    expect(without.summaries).toBe(within.summaries);
    expect(without.summaries).toBeGreaterThan(0);
    expect(without.summaries).toBeLessThan(without.job.model.prompts.length / 2);
    expect(without.thread.map((message) => toStoredMessage(message))).toEqual(without.happened);
  });
});

describe("a provider that counts more than the counter", () => {
  it("does not prevent compaction: a thread that it counts half again as large is compacted", async () => {
    const messages = history({ steps: 25, result: (step) => filler(300, step) });
    const input = Math.round(1.5 * estimateTokens(messages.slice(0, -2)));
    const reported = copyMessage(messages.at(-2)!, {
      usage_metadata: { input_tokens: input, output_tokens: 1, total_tokens: input + 1 },
    });
    const said = [...messages.slice(0, -2), reported, ...messages.slice(-1)];
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => events.push(event);
    const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 12_000, onEvent });
    const update = await node({ messages: said }, config);
    expect(events.at(-1)).toMatchObject({ type: "context.compaction", reason: "trigger" });
    expect(update["compaction"]).toMatchObject({ tokenRatio: expect.closeTo(1.5, 2) as number });
    expect(1.5 * estimateTokens(messagesAfter(update, said))).toBeLessThan(0.85 * 12_000);
  });
});

describe("an archive that cannot be written", () => {
  it("leaves the conversation as it is and says so, and compacts once it can be written again", async () => {
    const driver = new FailingDriver();
    const files = new VirtualFilesystem({ driver });
    const events: ContextEvent[] = [];
    const node = compactionNode({ files, contextWindow: 10_000, onEvent: (event) => events.push(event) });
    const messages = history({ steps: 25, result: (step) => filler(300, step) });

    driver.full = true;
    const update = await node({ messages, compaction: {} }, config);
    expect(messagesAfter(update, messages)).toBe(messages);
    const noted = messagesAfter(await node({ messages }, config), messages);
    expect(withNote(noted)).toEqual(messages);
    expect(events).toEqual(
      [1, 2].map(() => expect.objectContaining({ type: "context.fail", rung: "archive" }) as ContextEvent),
    );

    driver.full = false;
    const after = messagesAfter(await node({ messages }, config), messages);
    expect(await unfolded(after, files, "t")).toEqual(messages.map((message) => toStoredMessage(message)));
    expect(estimateTokens(after)).toBeLessThan(7_000);
  });

  it('throws with onError "throw"', async () => {
    const driver = new FailingDriver();
    driver.full = true;
    const files = new VirtualFilesystem({ driver });
    const node = compactionNode({ files, contextWindow: 9_000, onError: "throw" });
    const messages = history({ steps: 25, result: (step) => filler(300, step) });
    await expect(node({ messages }, config)).rejects.toThrow("ENOSPC");
  });
});

it("survives a bug in a counter: an event, an estimate, and the messages as they were", async () => {
  const events: ContextEvent[] = [];
  const node = compactionNode({
    files: VirtualFilesystem.inMemory(),
    contextWindow: 9_000,
    tokenCounter: failingCounter,
    onEvent: (event) => events.push(event),
  });
  const messages = history({ steps: 5 });
  expect(messagesAfter(await node({ messages }, config), messages)).toBe(messages);
  expect(events).toEqual([expect.objectContaining({ type: "context.fail", rung: "counter" })]);
});

it("stops when the run is aborted while a summary is written", async () => {
  const controller = new AbortController();
  const model = {
    async invoke() {
      controller.abort(new Error("stopped by the user"));
      throw new Error("stopped by the user");
    },
  };
  const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 3_000, model });
  const messages = history({ steps: 9, result: (step) => filler(300, step) });
  await expect(node({ messages }, { ...config, signal: controller.signal })).rejects.toThrow(
    "stopped by the user",
  );
});

/** Reads a file at each step. */
function reading(steps: number, path: (step: number) => string, tokens: number): BaseMessage[] {
  return history({
    steps,
    toolName: "read_file",
    args: (step) => ({ path: path(step) }),
    result: (step) => filler(tokens, step),
  });
}

function isRules({ id }: BaseMessage): boolean {
  return id === "rules";
}

function stored(messages: readonly BaseMessage[]): string {
  return JSON.stringify(messages.map((message) => toStoredMessage(message)));
}

function failingCounter(): never {
  throw new Error("no vocabulary");
}
