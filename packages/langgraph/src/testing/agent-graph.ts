import type { DynamicStructuredTool } from "@langchain/core/tools";
import {
  MemorySaver,
  MessagesValue,
  START,
  StateGraph,
  StateSchema,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { contextState } from "../run/context-state.js";
import type { GraphNode } from "../nodes/step-node.js";
import type { InvokableTool } from "../tools/offload-tools.js";
import type { ScriptedModel } from "./scripted-model.js";

export interface AgentGraphOptions {
  readonly model: Pick<ScriptedModel, "invoke">;
  readonly tools: readonly (DynamicStructuredTool | InvokableTool)[];
  /** The node before the model. */
  readonly compact: GraphNode;
  /** @default a new MemorySaver */
  readonly checkpointer?: BaseCheckpointSaver | false;
}

export const agentState = new StateSchema({ messages: MessagesValue, ...contextState });

/** Returns an agent with one node under test before its model. */
export function agentGraph({ model, tools, compact, checkpointer = new MemorySaver() }: AgentGraphOptions) {
  return new StateGraph(agentState)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([...tools] as DynamicStructuredTool[]))
    .addNode("compact", compact)
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer });
}

/** Returns the config of a run in a thread. */
export function inThread(threadId: string) {
  return { configurable: { thread_id: threadId }, recursionLimit: 1_000 };
}
