import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent, type AgentMiddleware } from "langchain";
import { expect, it } from "vitest";
import { foldMiddleware } from "./folding/fold-middleware.js";
import { contextMiddleware } from "./middleware/context-middleware.js";
import { predictiveContextMiddleware } from "./predictive/predictive-context-middleware.js";
import { ScriptedModel } from "./testing/scripted-model.js";
import { foldNode } from "./folding/fold-node.js";
import { compactionNode } from "./nodes/compaction-node.js";
import type { GraphNode } from "./nodes/step-node.js";
import { predictiveContextNode } from "./predictive/predictive-context-node.js";
import { inThread } from "./testing/agent-graph.js";
import { filler } from "./testing/history.js";
import { withCompaction } from "./nodes/with-compaction.js";
import { contextInputFor } from "./run/context-state.js";

const files = VirtualFilesystem.inMemory();
const keys = { inputKey: "messages", outputKey: "context" };
const nodes: Readonly<Record<string, GraphNode>> = {
  compactionNode: compactionNode({ files, contextWindow: 2_000, ...keys }),
  foldNode: foldNode({ files, contextWindow: 2_000, ...keys }),
  predictiveContextNode: predictiveContextNode({ files, budget: 1_200, ...keys }),
};

it.each(Object.entries(nodes))(
  "a view of %s shows no message in the stream that the thread does not have",
  async (name, node) => {
    let sent: readonly BaseMessage[] = [];
    let call = 0;
    const input = contextInputFor(keys);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("select", node, { input })
      .addNode(
        "model",
        (state) => {
          sent = (state as { readonly context?: BaseMessage[] }).context ?? [];
          return { messages: [new AIMessage({ id: `a${call}`, content: filler(300, call++) })] };
        },
        { input },
      )
      .addEdge(START, "select")
      .addEdge("select", "model")
      .compile({ checkpointer: new MemorySaver() });
    const shown: (string | undefined)[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const question = new HumanMessage({ id: `u${turn}`, content: `question ${turn}` });
      const options = { ...inThread(name), streamMode: "messages" as const };
      for await (const [message] of await graph.stream({ messages: [question] }, options))
        shown.push(message.id);
    }
    expect(sent.filter((message) => foldOf(message) !== undefined).length).toBeGreaterThan(0);
    expect(shown).toEqual(Array.from({ length: 8 }, (_, turn) => `a${turn}`));
  },
);

it.each(Object.entries(nodes))(
  "a view of %s in a subgraph takes no reply out of the stream",
  async (name, node) => {
    let call = 0;
    const input = contextInputFor(keys);
    const agent = new StateGraph(MessagesAnnotation)
      .addNode("select", node, { input })
      .addNode("model", () => ({
        messages: [new AIMessage({ id: `a${call}`, content: filler(300, call++) })],
      }))
      .addEdge(START, "select")
      .addEdge("select", "model")
      .addConditionalEdges("model", () => (call % 2 === 1 ? "select" : "__end__"))
      .compile();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent)
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    const shown: (string | undefined)[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const question = new HumanMessage({ id: `u${turn}`, content: `question ${turn}` });
      const options = { ...inThread(`in ${name}`), streamMode: "messages" as const };
      for await (const [message] of await graph.stream({ messages: [question] }, options))
        shown.push(message.id);
    }
    expect(shown).toEqual(Array.from({ length: 12 }, (_, at) => `a${at}`));
  },
);

/** Returns a `createAgent` agent that answers each question with the same text. */
function agentWith(middleware: AgentMiddleware[]) {
  const model = new ScriptedModel((prompt) => {
    const asked = prompt.findLast(({ id = "" }) => /^u\d+$/.test(id));
    return new AIMessage({ id: `a-${asked?.id}`, content: filler(300) });
  });
  return createAgent({ model, tools: [], middleware }).graph;
}

/** Agents of a subgraph that shares the messages with its graph. */
const agents = {
  contextMiddleware: () =>
    agentWith([contextMiddleware({ files, contextWindow: 3_000, summaryModel: "none", fileTools: [] })]),
  foldMiddleware: () => agentWith([foldMiddleware({ files, contextWindow: 6_000, summaryModel: "none" })]),
  predictiveContextMiddleware: () =>
    agentWith([predictiveContextMiddleware({ files, budget: 1_500, tools: [] })]),
  withCompaction: () =>
    new StateGraph(MessagesAnnotation)
      .addNode("model", withCompaction(answer, { files, contextWindow: 3_000 }))
      .addEdge(START, "model")
      .compile(),
  "compactionNode at the end": () =>
    new StateGraph(MessagesAnnotation)
      .addNode("model", answer)
      .addNode("compact", compactionNode({ files, contextWindow: 3_000, keep: { messages: 4 } }))
      .addEdge(START, "model")
      .addEdge("model", "compact")
      .compile(),
};

async function answer({ messages }: { readonly messages: readonly BaseMessage[] }) {
  return { messages: [new AIMessage({ id: `a-${messages.at(-1)?.id}`, content: filler(300) })] };
}

it.each(Object.entries(agents))(
  "a subgraph that compacts shows its replies in the stream, and no stand-in: %s",
  async (name, agent) => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent() as ReturnType<(typeof agents)["withCompaction"]>)
      .addEdge(START, "agent")
      .compile({ checkpointer: new MemorySaver() });
    const shown: (string | undefined)[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const question = new HumanMessage({ id: `u${turn}`, content: `question ${turn}` });
      const options = { ...inThread(`sub ${name}`), streamMode: "messages" as const };
      for await (const [message] of await graph.stream({ messages: [question] }, options))
        if (message.id !== undefined && message.id !== shown.at(-1)) shown.push(message.id);
    }
    const { messages } = (await graph.getState(inThread(`sub ${name}`))).values as {
      messages: BaseMessage[];
    };
    expect(messages.filter((message) => foldOf(message) !== undefined).length).toBeGreaterThan(0);
    expect(shown).toEqual(Array.from({ length: 12 }, (_, turn) => `a-u${turn}`));
  },
);
