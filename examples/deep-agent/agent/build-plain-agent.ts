import { type BaseMessage, type HumanMessage } from "@langchain/core/messages";
import { type StructuredToolInterface } from "@langchain/core/tools";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { toolsCondition } from "@langchain/langgraph/prebuilt";
import { type AgentOptions, stepLimit } from "./agent-options.js";
import { todosValue } from "./todos-value.js";
import { modelNode } from "./model-node.js";
import { subagentPrompt, systemPrompt } from "./system-prompt.js";
import { taskTool } from "./task-tool.js";
import { todoTool } from "./todo-tool.js";
import { toolsNode } from "./tools-node.js";
import { plainFileTools } from "../plain-file-tools.js";

/** Returns the agent without Palimpsest: the same model, tools and prompts, and a context that only grows. */
export function buildPlainAgent({ model, tools, recorder }: AgentOptions) {
  const State = new StateSchema({ messages: MessagesValue, todos: todosValue });
  const research = recorder.wrap(tools);
  const build = (prompt: string, all: StructuredToolInterface[]) =>
    new StateGraph(State)
      .addNode("model", modelNode({ model, systemPrompt: prompt, tools: all, recorder }))
      .addNode("tools", toolsNode(all, recorder))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "model")
      .compile();
  const subagent = build(subagentPrompt, [...research, ...plainFileTools(new Map())]);
  const runSubagent = async (request: HumanMessage, threadId: string): Promise<BaseMessage[]> => {
    recorder.message(threadId, request);
    const config = { configurable: { thread_id: threadId }, recursionLimit: stepLimit };
    return (await subagent.invoke({ messages: [request] }, config)).messages;
  };
  const task = recorder.wrap([taskTool(runSubagent)]);
  return build(systemPrompt, [...research, ...task, todoTool(), ...plainFileTools(new Map())]);
}
