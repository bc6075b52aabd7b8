import { MessagesValue, START, StateGraph, StateSchema, type MemorySaver } from "@langchain/langgraph";
import type { GraphNode } from "@palimpsest/langgraph";
import type { RunnableGraph } from "./run-graph.js";

/** Returns a graph that has the messages and runs an agent as a node, after a node of its own when there is one. */
export function inLargerGraph(agent: object, saver: MemorySaver, before?: GraphNode): RunnableGraph {
  const state = new StateSchema({ messages: MessagesValue });
  return new StateGraph(state)
    .addNode("before", before ?? (() => ({})))
    .addNode("agent", agent as never)
    .addEdge(START, "before")
    .addEdge("before", "agent")
    .compile({ checkpointer: saver }) as RunnableGraph;
}
