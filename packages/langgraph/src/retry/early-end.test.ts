import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  MemorySaver,
  MessagesAnnotation,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { earlyEnd } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { compactionCondition } from "../conditions/compaction-condition.js";
import { overflowCondition } from "../conditions/overflow-condition.js";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import { contextState } from "../run/context-state.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { agentState, inThread } from "../testing/agent-graph.js";
import { filler, history } from "../testing/history.js";
import {
  readPageTool,
  reasoningPrompt,
  reasoningServer,
  type ReasoningProvider,
  type ReasoningServer,
} from "../testing/reasoning-agent.js";
import { ScriptedModel, type Reply } from "../testing/scripted-model.js";
import { readThread } from "../threads/read-thread.js";

const steps = 24;
let server: ReasoningServer | undefined;
afterEach(() => server?.close());

interface Setup extends ContextOptions {
  readonly model: ReturnType<ReasoningServer["model"]>;
}

type Invokable = Pick<ScriptedModel, "invoke">;

function inGraph(model: Invokable, options: ContextOptions) {
  return new StateGraph(agentState)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([readPageTool]))
    .addNode("compact", compactionNode(options))
    .addConditionalEdges(START, compactionCondition(options), ["compact", "model"])
    .addEdge("compact", "model")
    .addConditionalEdges("model", overflowCondition({ ...options, otherwise: toolsCondition }))
    .addConditionalEdges("tools", compactionCondition(options), ["compact", "model"])
    .compile({ checkpointer: new MemorySaver() });
}

const hosts = {
  "the nodes": ({ model, ...options }: Setup) => inGraph(model.bindTools([readPageTool]), options),
  "the middleware": ({ model, ...options }: Setup) =>
    createAgent({
      model,
      tools: [readPageTool],
      middleware: [contextMiddleware({ summaryModel: "none", ...options, fileTools: [] })],
      checkpointer: new MemorySaver(),
    }).graph,
};
const cases = (Object.keys(hosts) as (keyof typeof hosts)[]).flatMap((host) =>
  (["anthropic", "openai"] as const).flatMap((provider) =>
    [false, true].map((streaming) => ({ host, provider, streaming })),
  ),
);

interface Case {
  readonly host: keyof typeof hosts;
  readonly provider: ReasoningProvider;
  readonly streaming: boolean;
}

/** Reads 24 pages in a window of 12,000 tokens that the options state as 200,000, and that ends answers without an error. */
async function play({ host, provider, streaming }: Case) {
  server = await reasoningServer(provider, steps, { contextWindow: 12_000, overflowAsStopReason: true });
  const events: ContextEvent[] = [];
  const files = VirtualFilesystem.inMemory();
  const onEvent = (event: ContextEvent) => events.push(event);
  const model = server.model({ streaming });
  const graph = hosts[host]({ model, files, contextWindow: 200_000, keep: { tokens: 4_000 }, onEvent });
  const state = (await graph.invoke({ messages: reasoningPrompt }, inThread("t"))) as unknown as {
    messages: BaseMessage[];
  };
  const thread = await readThread(graph as never, inThread("t"), { files });
  const retries = events.flatMap((event) => (event.type === "context.retry" ? [event] : []));
  return { messages: state.messages, thread, retries, events, files, calls: server.calls };
}

describe("an answer that ends at the window without an error", () => {
  it.each(cases)(
    "an answer that ends at the window is replaced after one compaction: $host, $provider, streaming $streaming",
    async (played) => {
      const { messages, thread, retries, events, calls } = await play(played);
      expect(retries.length).toBeGreaterThan(0);
      expect(new Set(retries.map(({ reason }) => reason))).toEqual(new Set(["window-exceeded"]));
      const forced = events.filter(
        (event) => event.type === "context.compaction" && event.reason === "overflow",
      );
      expect(forced).toHaveLength(retries.length);
      expect(calls).toHaveLength(steps + 1 + retries.length);
      expect(calls.flatMap(({ invalid }) => invalid)).toEqual([]);
      expect(messages.at(-1)?.text).toBe("All pages are read.");
      expect(messages.filter((message) => earlyEnd(message) !== undefined)).toEqual([]);
      expect(thread.filter(({ type }) => type === "tool")).toHaveLength(steps);
    },
  );

  it("a replaced answer is in the archive before another takes its place", async () => {
    const { retries, files } = await play({ host: "the nodes", provider: "anthropic", streaming: false });
    const [retry] = retries;
    const record = await files.archive("t").readText(retry?.path ?? "");
    expect(record).toContain("model_context_window_exceeded");
    expect(record).toContain(retry?.messages[0]);
  });
});

const contextChannel = z.custom<BaseMessage[]>().default(() => []);
const cut = (fields: object = {}) =>
  new AIMessage({ content: "", response_metadata: { finish_reason: "length" }, ...fields });
const past = [
  ...history({ steps: 20, result: (step) => filler(400, step) }),
  new AIMessage({ id: "answered", content: "All values are found." }),
];

/** A chat of a scripted model after the nodes. */
async function chat(reply: Reply, options: Partial<ContextOptions> = {}) {
  const model = new ScriptedModel(reply);
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => events.push(event);
  const files = VirtualFilesystem.inMemory();
  const graph = inGraph(model, { files, contextWindow: 200_000, onEvent, ...options });
  const ask = async (id: string, before: readonly BaseMessage[] = []) => {
    const messages = [...before, new HumanMessage({ id, content: `And ${id}?` })];
    const state = await graph.invoke({ messages }, inThread("t"));
    return (state as { messages: BaseMessage[] }).messages;
  };
  return { model, events, ask, graph };
}

describe("a model that always ends at the window", () => {
  it("a model that always ends at the window is called only once more, and its last answer stays", async () => {
    const { model, ask } = await chat(() => cut());
    const messages = await ask("now", past);
    expect(model.prompts).toHaveLength(2);
    expect(messages.map((message) => earlyEnd(message)).filter(Boolean)).toEqual(["window-exceeded"]);
  });

  it("a graph without a channel for compaction calls such a model once more and then stops", async () => {
    const model = new ScriptedModel(() => cut());
    const options = { files: VirtualFilesystem.inMemory(), contextWindow: 200_000 };
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("compact", compactionNode(options))
      .addEdge(START, "model")
      .addEdge("compact", "model")
      .addConditionalEdges("model", overflowCondition({ ...options, otherwise: toolsCondition }))
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke({ messages: [new HumanMessage({ id: "now", content: "Go." })] }, inThread("t"));
    expect(model.prompts).toHaveLength(2);
  });

  it("an empty answer of an earlier turn is not sent to the model", async () => {
    const { model, ask } = await chat((_, call) => (call < 2 ? cut() : new AIMessage("Seven.")));
    await ask("now", past);
    const messages = await ask("then");
    expect(messages.at(-1)?.text).toBe("Seven.");
    expect(model.prompts.at(-1)?.filter((message) => message.content === "")).toEqual([]);
  });
});

it("an answer with content that ended at a length stays as it is", async () => {
  const { model, events, ask } = await chat(() => cut({ content: "Half of a poe" }));
  const messages = await ask("now", past);
  expect([model.prompts.length, messages.at(-1)?.text]).toEqual([1, "Half of a poe"]);
  expect(events).toEqual([]);
});

it("a model is called again after a compaction of its provider, and the answer with the compaction stays", async () => {
  const block = { type: "compaction", content: "Summary." };
  const paused = cut({ id: "paused", content: [block], response_metadata: { stop_reason: "compaction" } });
  const { model, events, ask } = await chat((_, call) => (call === 0 ? paused : new AIMessage("Seven.")));
  const messages = await ask("now", past);
  expect(model.prompts).toHaveLength(2);
  expect(messages.slice(-2).map(({ content }) => content)).toEqual([[block], "Seven."]);
  expect(events).toEqual([
    expect.objectContaining({ type: "context.native", messageId: "paused" }),
    expect.objectContaining({ type: "context.retry", reason: "provider-compacted", message: "compaction" }),
  ]);
});

it("a model that only compacts is called twice at most", async () => {
  const content = [{ type: "compaction", content: "Summary." }];
  const paused = { content, response_metadata: { stop_reason: "compaction" } };
  const { model, ask } = await chat((_, call) => cut({ ...paused, id: `paused-${call}` }));
  await ask("now", past);
  expect(model.prompts).toHaveLength(2);
});

it("a thread beside the context keeps an answer that is no longer sent to the model", async () => {
  const model = new ScriptedModel((_, call) => (call === 0 ? cut({ id: "cut" }) : new AIMessage("Seven.")));
  const options = { files: VirtualFilesystem.inMemory(), contextWindow: 200_000, outputKey: "context" };
  const state = new StateSchema({ messages: MessagesValue, context: contextChannel, ...contextState });
  const graph = new StateGraph(state)
    .addNode("model", async ({ context }) => ({ messages: [await model.invoke(context)] }))
    .addNode("compact", compactionNode(options))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", overflowCondition({ ...options, otherwise: toolsCondition }))
    .compile({ checkpointer: new MemorySaver() });
  const ask = (id: string, before: readonly BaseMessage[] = []) =>
    graph.invoke({ messages: [...before, new HumanMessage({ id, content: "And?" })] }, inThread("t"));
  await ask("now", past);
  const { messages } = await ask("then");
  expect(model.prompts).toHaveLength(3);
  expect(model.prompts.flat().filter(({ id }) => id === "cut")).toEqual([]);
  expect(messages.slice(-5).map(({ id, text }) => (text === "" ? id : text))).toEqual([
    "And?",
    "cut",
    "Seven.",
    "And?",
    "Seven.",
  ]);
});
