import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
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

/** Returns an agent with a node before its model. */
function agentOf(name: string, node: GraphNode) {
  let calls = 0;
  return new StateGraph(MessagesAnnotation)
    .addNode("context", node as never)
    .addNode("model", () => ({
      messages: [new AIMessage({ id: `${name}-${calls}`, content: `${name}. ${filler(150, calls++)}` })],
    }))
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
