import { AIMessage, HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { foldOf } from "@palimpsest/context";
import { isNativeCompaction } from "@palimpsest/context/internal";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { expect, it } from "vitest";
import type { ContextEvent } from "../context-event.js";
import type { ContextOptions, NativeCallOptions, SummaryModel } from "../options/context-options.js";
import { contextState } from "../run/context-state.js";
import { contextMiddleware } from "../middleware/context-middleware.js";
import { summarizeWithFilesystemPreservationNode } from "../nodes/rung-nodes.js";
import { inThread } from "../testing/agent-graph.js";
import { readPageTool, reasoningPrompt, reasoningServer } from "../testing/reasoning-agent.js";
import { readThread } from "../threads/read-thread.js";
import { unfoldThread } from "../threads/unfold-thread.js";

const steps = 7;

/** Reads 7 pages in a window of 6,000 tokens, over which only a summary helps. */
async function play(options: Partial<ContextOptions> = {}, streaming = false) {
  const server = await reasoningServer("openai", steps);
  const model = server.model({ streaming });
  const bound = model.bindTools([readPageTool]);
  const events: ContextEvent[] = [];
  const common: ContextOptions = {
    files: VirtualFilesystem.inMemory(),
    model,
    contextWindow: 6_000,
    summaryModel: "native",
    tools: [readPageTool],
    onEvent: (event) => void events.push(event),
    ...options,
  };
  const contexts: BaseMessage[][] = [];
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => {
      contexts.push(messages);
      return { messages: [await bound.invoke(messages)] };
    })
    .addNode("tools", new ToolNode([readPageTool]))
    .addNode("compact", summarizeWithFilesystemPreservationNode(common))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: reasoningPrompt }, inThread("t"));
  await server.close();
  return { server, graph, common, contexts, events };
}

it.each([false, true])(
  "a provider whose compactions cover the ones before has every call accepted, and the thread comes back whole: streaming %s",
  async (streaming) => {
    const { server, graph, common, contexts, events } = await play({}, streaming);
    const asked = events.filter(({ type }) => type === "context.compaction");
    expect(asked.length).toBeGreaterThan(1);
    expect(asked[0]).toMatchObject({ strategy: "summarize", usage: { calls: 1, reportedCalls: 1 } });
    expect(events.filter(({ type }) => type === "context.fail")).toEqual([]);
    expect(server.calls.filter(({ status, invalid }) => status !== 200 || invalid.length > 0)).toEqual([]);
    expect(server.calls).toHaveLength(steps + 1 + asked.length);
    const counts = contexts.map((context) => context.filter(isNativeCompaction).length);
    expect(new Set(counts)).toEqual(new Set([0, 1]));
    const generations = contexts.flatMap((context) =>
      context.flatMap((one) => foldOf(one)?.generation ?? []),
    );
    expect(Math.max(...generations)).toBeGreaterThan(1);
    const carriers = contexts.at(-1)?.filter(isNativeCompaction) ?? [];
    expect(carriers.map((message) => foldOf(message)?.kind)).toEqual(["native"]);
    const thread = await readThread(graph, inThread("t"), common);
    expect(thread.filter(isNativeCompaction)).toEqual([]);
    expect(thread).toHaveLength(2 * steps + 3);
    await unfoldThread(graph, inThread("t"), { ...common, force: true });
    const { messages } = (await graph.getState(inThread("t"))).values as { messages: BaseMessage[] };
    expect(messages).toEqual(thread);
  },
);

const failing: Readonly<Record<string, SummaryModel["compactNatively"]>> = {
  "an error": () => Promise.reject(new Error("500 overloaded")),
  "an answer without a compaction": () => Promise.resolve(new AIMessage("I have read it.")),
  "a compaction as large as what it covers": () =>
    Promise.resolve(
      new AIMessage({ content: [{ type: "compaction", content: "long ".repeat(10_000), signature: "s" }] }),
    ),
};

it.each(Object.entries(failing))(
  "a summary is written where the provider returns %s",
  async (_, compactNatively) => {
    const model: SummaryModel = {
      invoke: () => Promise.resolve(new AIMessage("## Findings\n- Pages were read")),
      compactNatively: compactNatively!,
    };
    const { server, events, contexts, graph, common } = await play({ model });
    const failed = events.filter(({ type }) => type === "context.fail");
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]).toMatchObject({ rung: "summary", next: "separate" });
    expect(contexts.flat().filter(isNativeCompaction)).toEqual([]);
    expect(contexts.flat().some((message) => foldOf(message)?.kind === "summary")).toBe(true);
    expect(server.calls.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await readThread(graph, inThread("t"), common)).toHaveLength(2 * steps + 3);
  },
);

it("native summaries are refused with prepareAt, and with a model that cannot carry a compaction, when the node is built", () => {
  const files = VirtualFilesystem.inMemory();
  const options = { files, contextWindow: 10_000, summaryModel: "native" } as const;
  const plain = { invoke: () => Promise.resolve(new AIMessage("x")) };
  const build = (more: Partial<ContextOptions>) => () =>
    summarizeWithFilesystemPreservationNode({ ...options, ...more });
  expect(build({})).toThrow(/summaryModel is "native", and model cannot carry/);
  expect(build({ model: plain })).toThrow(/pass a ChatOpenAI with useResponsesApi/);
  const model = { ...plain, compactNatively: plain.invoke };
  expect(build({ model, prepareAt: 0.5 })).toThrow(/prepareAt is 0.5 and summaryModel is "native"/);
  expect(build({ model })).not.toThrow();
});

it("a middleware asks with the system message and the tools of the call as they are, so that no reasoning is refused", async () => {
  const server = await reasoningServer("openai", steps);
  const model = server.model();
  const asked: unknown[] = [];
  const compacting = Object.assign(Object.create(model) as typeof model, {
    compactNatively: async ([system]: BaseMessage[], options?: NativeCallOptions): Promise<never> => {
      asked.push([system?.content, options?.tools?.map((each) => (each as { name: string }).name)]);
      throw new Error("not now");
    },
  });
  const options = {
    files: VirtualFilesystem.inMemory(),
    model: compacting,
    contextWindow: 6_000,
    limits: { offload: 5_000, batch: 5_000 },
  };
  const agent = createAgent({
    model,
    tools: [readPageTool],
    systemPrompt: new SystemMessage({ content: [{ type: "text", text: "You read." }] }),
    middleware: [
      contextMiddleware({ ...options, summaryModel: "native", agentControlled: true, fileTools: [] }),
    ],
  });
  await agent.invoke({ messages: [new HumanMessage("Read all pages.")] }, inThread("t"));
  await server.close();
  expect(asked.length).toBeGreaterThan(0);
  const sent = [[{ type: "text", text: "You read." }], ["read_page", "compress_context"]];
  expect(asked).toEqual(asked.map(() => sent));
});
