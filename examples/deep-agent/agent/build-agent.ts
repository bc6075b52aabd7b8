import { type BaseMessage, type HumanMessage } from "@langchain/core/messages";
import { type StructuredToolInterface } from "@langchain/core/tools";
import { START, StateGraph, type BaseCheckpointSaver } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import {
  compactionCondition,
  compactionNode,
  compressContextTool,
  fileTools,
  offloadTools,
  overflowErrorHandler,
  type ContextOptions,
} from "@palimpsest/langgraph";
import { type AgentOptions, stepLimit } from "./agent-options.js";
import { AgentState } from "./agent-state.js";
import { modelNode } from "./model-node.js";
import { subagentPrompt, systemPrompt } from "./system-prompt.js";
import { taskTool } from "./task-tool.js";
import { todoTool } from "./todo-tool.js";
import { toolsNode } from "./tools-node.js";

/** What the agent with Palimpsest needs besides: the filesystem, the window, and who listens to folds. */
export interface ContextAgentOptions extends AgentOptions {
  readonly saver: BaseCheckpointSaver;
  readonly context: ContextOptions;
}

/** Returns the agent of the showcase: todo list, files, subagents, research tools, and a context that folds. */
export function buildAgent(agent: ContextAgentOptions) {
  const { recorder } = agent;
  const research = recorder.wrap(agent.tools);
  const subagent = buildSubagent(agent, research);
  const runSubagent = async (request: HumanMessage, threadId: string): Promise<BaseMessage[]> => {
    recorder.message(threadId, request);
    const config = { configurable: { thread_id: threadId }, recursionLimit: stepLimit };
    const { messages } = await subagent.invoke({ messages: [request] }, config);
    recorder.finished(threadId, messages);
    return messages;
  };
  const tools = [...research, ...recorder.wrap([taskTool(runSubagent)]), todoTool()];
  const files = fileTools(agent.context);
  const context = { ...agent.context, systemPrompt, agentControlled: true };
  const compress = compressContextTool(context);
  const callModel = modelNode({
    ...agent,
    systemPrompt,
    tools: [...tools, ...files, compress],
  });
  return new StateGraph(AgentState)
    .addNode("model", callModel, { errorHandler: overflowErrorHandler(context), ends: ["model"] })
    .addNode("tools", toolsNode([...offloadTools([...tools, compress], context), ...files], recorder))
    .addNode("compact", compactionNode(context))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition)
    .addConditionalEdges("tools", compactionCondition(context), ["compact", "model"])
    .addEdge("compact", "model")
    .compile({ checkpointer: agent.saver });
}

/** The subagent leaves its context to the automatic trigger. */
function buildSubagent(agent: ContextAgentOptions, research: readonly StructuredToolInterface[]) {
  const context = { ...agent.context, systemPrompt: subagentPrompt };
  const files = fileTools(context);
  const callModel = modelNode({
    ...agent,
    systemPrompt: subagentPrompt,
    tools: [...research, ...files],
  });
  return new StateGraph(AgentState)
    .addNode("model", callModel, { errorHandler: overflowErrorHandler(context), ends: ["model"] })
    .addNode("tools", toolsNode([...offloadTools(research, context), ...files], agent.recorder))
    .addNode("compact", compactionNode(context))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition)
    .addConditionalEdges("tools", compactionCondition(context), ["compact", "model"])
    .addEdge("compact", "model")
    .compile({ checkpointer: agent.saver });
}
