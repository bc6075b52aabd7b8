import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { foldOf, unfold } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "../nodes/compaction-node.js";
import type { GraphNode } from "../nodes/step-node.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { readThread } from "./read-thread.js";
import { unfoldThread } from "./unfold-thread.js";

const window = 3_000;
const turns = 12;

type Prompts = (readonly BaseMessage[])[];

/** Returns an agent with a node before its model, which adds what it is sent to `prompts`. */
function agentOf(name: string, node: GraphNode, prompts: Prompts = []) {
  let calls = 0;
  return new StateGraph(MessagesAnnotation)
    .addNode("context", node as never)
    .addNode("model", ({ messages }) => {
      prompts.push(messages);
      const content = `${name}. ${filler(150, calls)}`;
      return { messages: [new AIMessage({ id: `${name}-${calls++}`, content })] };
    })
    .addEdge(START, "context")
    .addEdge("context", "model")
    .compile();
}

/** Returns a graph whose agents are subgraphs that share its messages. */
function graphOf(names: readonly string[], node: GraphNode) {
  const graph = new StateGraph(MessagesAnnotation);
  for (const name of names) graph.addNode(name, agentOf(name, node)).addEdge(START, name);
  return graph.compile({ checkpointer: new MemorySaver() });
}

const nodes: Readonly<Record<string, (files: VirtualFilesystem) => GraphNode>> = {
  compactionNode: (files) => compactionNode({ files, contextWindow: window }),
  foldNode: (files) => foldNode({ files, contextWindow: window }),
  predictiveContextNode: (files) => predictiveContextNode({ files, budget: 1_500 }),
};
const cases = Object.keys(nodes).flatMap((name) =>
  [["one"], ["one", "two"]].map((agents) => [name, agents] as const),
);

/** Returns a graph with one agent behind the other. */
function rowOf(node: GraphNode, prompts: Prompts) {
  return new StateGraph(MessagesAnnotation)
    .addNode("one", agentOf("one", node, prompts))
    .addNode("two", agentOf("two", node, prompts))
    .addEdge(START, "one")
    .addEdge("one", "two")
    .compile({ checkpointer: new MemorySaver() });
}

function idsOf(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map(({ id }) => id ?? "").toSorted();
}

it.each(cases)("a thread that %s folded in the subgraphs %j has every message once", async (name, agents) => {
  const files = VirtualFilesystem.inMemory();
  const graph = graphOf(agents, (nodes[name] as (typeof nodes)[string])(files));
  const thread = inThread("t");
  for (let turn = 0; turn < turns; turn++) {
    const question = new HumanMessage({ id: `question-${turn}`, content: filler(100, turn + turns) });
    await graph.invoke({ messages: [question] }, thread);
  }
  const { messages } = (await graph.getState(thread)).values as { messages: BaseMessage[] };
  expect(messages.filter((message) => foldOf(message) !== undefined).length).toBeGreaterThan(0);
  const everything = Array.from({ length: turns }, (_, turn) =>
    ["question", ...agents].map((who) => `${who}-${turn}`),
  ).flat();
  expect(idsOf(await readThread(graph, thread, { files }))).toEqual(everything.toSorted());
  await unfoldThread(graph, thread, { files, contextWindow: window, force: true, asNode: "one" });
  const { messages: opened } = (await graph.getState(thread)).values as { messages: BaseMessage[] };
  expect(idsOf(opened)).toEqual(everything.toSorted());
});

it.each(Object.keys(nodes))(
  "agents in a row that fold with %s are sent each message once, in the order of the thread",
  async (name) => {
    const files = VirtualFilesystem.inMemory();
    const prompts: Prompts = [];
    const graph = rowOf((nodes[name] as (typeof nodes)[string])(files), prompts);
    const thread = inThread("t");
    for (let turn = 0; turn < turns; turn++) {
      const question = new HumanMessage({ id: `question-${turn}`, content: filler(100, turn + turns) });
      await graph.invoke({ messages: [question] }, thread);
    }
    const order = Array.from({ length: turns }, (_, turn) =>
      ["question", "one", "two"].map((who) => `${who}-${turn}`),
    ).flat();
    const place = new Map(order.map((id, at) => [id, at]));
    const { archive } = files.thread("t");
    for (const prompt of prompts) {
      const opened = await unfold(prompt, (path) => archive.readText(path));
      const said = opened.map(({ id = "" }) => id).filter((id) => place.has(id));
      expect(said).toEqual(order.slice(0, said.length));
    }
    const whole = await readThread(graph, thread, { files });
    expect(whole.map(({ id }) => id)).toEqual(order);
  },
);
