import { SystemMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import {
  compactionNode,
  compressContextTool,
  contextState,
  fileTools,
  offloadTools,
  overflowErrorHandler,
  type ContextOptions,
} from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { answerOf, configOf, instructions, type TargetedSystem } from "./agent.js";

/** Palimpsest as nodes of a graph. */
export const palimpsestAgent: TargetedSystem = {
  name: "Palimpsest",
  vocabulary: {
    pathArgument: "path",
    grep: (pattern) => ({ pattern, path: "/context/", max_matches: 20 }),
    hasCompactTool: true,
  },
  async start({ task, model, log }) {
    const files = VirtualFilesystem.inMemory();
    const { window, trigger = 0.85, compactTool = false, promptTokens = 0 } = task;
    const system = promptTokens === 0 ? [] : [new SystemMessage(instructions(promptTokens))];
    const options: ContextOptions = {
      files,
      model,
      contextWindow: window,
      onEvent: ({ type }) => void (type === "context.compaction" && log.compactions++),
      ...(compactTool ? { agentControlled: true } : { trigger: { fraction: trigger } }),
      ...(system[0] === undefined ? {} : { systemPrompt: system[0].text }),
      keep: { fraction: Math.min(0.1, trigger / 4) },
    };
    const tools = [
      ...offloadTools(task.tools?.() ?? [], options),
      ...fileTools(options),
      ...(compactTool ? [compressContextTool(options)] : []),
    ];
    const bound = model.bindTools?.([...tools]);
    if (bound === undefined) throw new Error("The model takes no tools: use one with bindTools");
    const state = new StateSchema({ messages: MessagesValue, ...contextState });
    const graph = new StateGraph(state)
      .addNode(
        "model",
        async ({ messages }, config) => ({
          messages: [await bound.invoke([...system, ...messages], config)],
        }),
        { errorHandler: overflowErrorHandler(options), ends: ["model"] },
      )
      .addNode("tools", new ToolNode(tools))
      .addNode("compact", compactionNode(options))
      .addEdge(START, "compact")
      .addEdge("compact", "model")
      .addConditionalEdges("model", toolsCondition)
      .addEdge("tools", "compact")
      .compile({ checkpointer: new MemorySaver() });
    const { workspace, backend } = files.thread("targeted");
    for (const [path, text] of Object.entries(task.files ?? {})) await backend.write(path, text);
    let first: Record<string, unknown> = { files: workspace.changes };
    return {
      async say(messages) {
        const result = await graph.invoke({ ...first, messages: [...messages] }, configOf(log));
        first = {};
        return answerOf(result.messages);
      },
    };
  },
};
