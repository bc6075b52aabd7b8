// The graph that a server runs. It has no checkpointer of its own: a server brings one.
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { LogReader, logTool } from "../shared/log-reader.js";

export function buildAgent(files: VirtualFilesystem) {
  const model = new LogReader();
  return new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode({ files, model, summaryModel: "none" }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile();
}
