import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { foldOf } from "@palimpsest/context";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { expect, it } from "vitest";
import { foldNode } from "../folding/fold-node.js";
import { compactionNode } from "./compaction-node.js";
import type { GraphNode } from "./step-node.js";
import { predictiveContextNode } from "../predictive/predictive-context-node.js";
import { inThread } from "../testing/agent-graph.js";
import { filler } from "../testing/history.js";
import { contextInputFor } from "../run/context-state.js";

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
