import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { hasReasoning } from "@palimpsest/context/internal";
import { hasBoundReasoning } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contextState } from "../run/context-state.js";
import type { ContextEvent } from "../context-event.js";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { GraphNode } from "../nodes/step-node.js";
import { offloadLargeToolResultNode } from "../nodes/rung-nodes.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { inThread } from "../testing/agent-graph.js";
import { readPageTool, turnServer, type ReasoningProvider } from "../testing/reasoning-agent.js";
import { readThread } from "../threads/read-thread.js";
import { unfoldThread } from "../threads/unfold-thread.js";

interface NodeOptions {
  readonly files: VirtualFilesystem;
  readonly onEvent: (event: ContextEvent) => void;
  readonly outputKey?: string;
}
type Messages = readonly BaseMessage[];

/** Windows in which nothing is due, so that the host alone changes what was sent. */
const nodes: Readonly<Record<string, (options: NodeOptions) => GraphNode>> = {
  compactionNode: (options) => compactionNode({ ...options, contextWindow: 200_000 }),
  "compactionNode, as a view": (options) =>
    compactionNode({ ...options, contextWindow: 200_000, outputKey: "context" }),
  offloadLargeToolResultNode: (options) => offloadLargeToolResultNode({ ...options, contextWindow: 200_000 }),
  "offloadLargeToolResultNode, small": (options) =>
    offloadLargeToolResultNode({ ...options, contextWindow: 200_000, limits: { offload: 1_000 } }),
  "foldNode, on directives": (options) =>
    foldNode({ ...options, contextWindow: 200_000, condense: "on-directive" }),
  predictiveContextNode: (options) => predictiveContextNode({ ...options, budget: 100_000 }),
};

const human = (messages: Messages, turn: number) =>
  messages.filter((one) => one.getType() === "human")[turn]!;
const other = (message: BaseMessage) => new HumanMessage({ id: message.id!, content: "Read them twice." });

/** What a host does to a thread of three turns, and how much reasoning stays valid then: two pages and an answer a turn. */
const edits = {
  "edits the user's first message": { of: (all: Messages) => [other(human(all, 0))], kept: 0 },
  "edits the user's second message": { of: (all: Messages) => [other(human(all, 1))], kept: 3 },
  "edits the user's latest message": { of: (all: Messages) => [other(human(all, 2))], kept: 6 },
  "removes a message from the middle": {
    of: (all: Messages) => [new RemoveMessage({ id: human(all, 1).id! })],
    kept: 3,
  },
  "rewrites a tool result": {
    of: (all: Messages) => {
      const result = all.filter((one) => ToolMessage.isInstance(one))[3]!;
      return [new ToolMessage({ ...result.lc_kwargs, id: result.id!, content: "cleared" } as never)];
    },
    kept: 5,
  },
  "removes the latest turn": {
    of: (all: Messages) =>
      all.slice(all.indexOf(human(all, 2))).map(({ id }) => new RemoveMessage({ id: id! })),
    kept: 6,
  },
  "changes nothing": { of: () => [], kept: 9 },
};

const State = new StateSchema({
  messages: MessagesValue,
  context: z.array(z.custom<BaseMessage>()).default(() => []),
  ...contextState,
});

async function agent(name: string, provider: ReasoningProvider = "anthropic") {
  const server = await turnServer(provider);
  const model = server.model().bindTools([readPageTool]);
  const files = VirtualFilesystem.inMemory();
  const events: ContextEvent[] = [];
  const graph = new StateGraph(State)
    .addNode("model", async ({ messages, context }) => ({
      messages: [await model.invoke(context.length > 0 ? context : messages)],
    }))
    .addNode("tools", new ToolNode([readPageTool]))
    .addNode("compact", nodes[name]!({ files, onEvent: (event) => void events.push(event) }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: new MemorySaver() });
  const config = inThread("t");
  return { server, graph, files, events, config, say };

  /** Runs one turn for each text and returns the messages of the state. */
  async function say(...texts: readonly string[]): Promise<Messages> {
    for (const text of texts) await graph.invoke({ messages: [new HumanMessage(text)] }, config);
    return (await graph.getState(config)).values.messages;
  }
}

const turns = ["Read two pages.", "Two more.", "And two more."];
const refused = ({ status, invalid }: { status: number; invalid: readonly unknown[] }) =>
  status !== 200 || invalid.length > 0;

describe.each(Object.keys(nodes))("%s", (name) => {
  it.each(Object.entries(edits))(
    "has no call refused and keeps the valid reasoning when the host %s between two runs",
    async (_, { of, kept }) => {
      const { server, graph, files, config, say } = await agent(name);
      const before = await say(...turns);
      const messages = [...of(before)];
      await graph.updateState(config, { messages }, "model");
      await say("Two more again.", "And the last two.");
      expect(server.calls.filter(refused)).toEqual([]);
      expect(server.calls[9]?.reasoning).toBe(kept);
      expect(server.calls.at(-1)?.reasoning).toBe(kept + 5);
      const removed = messages.filter((one) => one.getType() === "remove").length;
      const thread = await readThread(graph, config, { files });
      expect(thread.filter(hasBoundReasoning)).toHaveLength(removed > 1 ? 12 : 15);
      await server.close();
    },
  );
});

describe("an agent whose host edits its thread", () => {
  it("sends an event with the reason for reasoning that leaves the context", async () => {
    const { graph, events, config, say, server } = await agent("compactionNode");
    const before = await say(...turns);
    await graph.updateState(
      config,
      { messages: edits["edits the user's second message"].of(before) },
      "model",
    );
    expect(events).toEqual([]);
    await say("Two more again.");
    expect(events.map((event) => event.type === "context.fold" && [event.fold.kind, event.reason])).toEqual(
      Array.from({ length: 6 }, () => ["reasoning", "edit"]),
    );
    await server.close();
  });

  it("keeps its reasoning on a fork from before the edit", async () => {
    const { graph, config, say, server } = await agent("compactionNode");
    const before = await say(...turns);
    const fork = (await graph.getState(config)).config;
    await graph.updateState(
      config,
      { messages: edits["edits the user's first message"].of(before) },
      "model",
    );
    await say("Two more again.");
    await graph.invoke({ messages: [new HumanMessage("Two more again.")] }, fork as never);
    expect(server.calls.filter(refused)).toEqual([]);
    expect(server.calls.slice(9).map(({ reasoning }) => reasoning)).toEqual([0, 1, 2, 9, 10, 11]);
    await server.close();
  });

  it("has no call refused by OpenAI's rule either", async () => {
    const { graph, config, say, server } = await agent("compactionNode", "openai");
    const before = await say(...turns);
    await graph.updateState(
      config,
      { messages: edits["edits the user's second message"].of(before) },
      "model",
    );
    await say("Two more again.");
    expect(server.calls.filter(refused)).toEqual([]);
    await server.close();
  });

  it("has no call refused after its folds were opened", async () => {
    const { graph, config, say, server, files } = await agent("offloadLargeToolResultNode, small");
    await say(...turns);
    const opened = await unfoldThread(graph, config, { files, contextWindow: 200_000 });
    expect(opened.applied).toBe(true);
    await say("Two more again.");
    expect(server.calls.filter(refused)).toEqual([]);
    await server.close();
  });

  it("has no reasoning of another model left in a tool loop that lost its own, once the host takes an edit back", async () => {
    const node = compactionNode({ files: VirtualFilesystem.inMemory(), contextWindow: 200_000 });
    const block = { type: "thinking", thinking: "Hm.", signature: "s" };
    const metadata = { response_metadata: { model: "claude-sonnet-4-5" } };
    const sent = [
      new HumanMessage({ id: "h", content: "Go" }),
      new AIMessage({ id: "bound", content: [block] }),
      new AIMessage({ id: "unbound", content: [block], ...metadata }),
    ];
    const graph = new StateGraph(State)
      .addNode("compact", node)
      .addEdge(START, "compact")
      .compile({ checkpointer: new MemorySaver() });
    const config = inThread("t");
    await graph.invoke({ messages: sent }, config);
    const removed = new HumanMessage({ id: "unbound", content: "Other words" });
    await graph.invoke({ messages: [removed] }, config);
    const { messages } = await graph.invoke({ messages: [sent[2]!] }, config);
    expect(messages.filter(hasReasoning)).toEqual([]);
  });
});
