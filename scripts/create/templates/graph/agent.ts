import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import { onEvent } from "./events.js";
import { contextWindow, isOffline, model } from "./model.js";
import { logTool } from "./offline-model.js";

export const saver = VfsSaver.fromPath("agent.db"); // checkpoints and files
const { files } = saver;
const tools = [logTool, ...fileTools({ files })]; // put your tools here
const withTools = model.bindTools(tools);
// Without a model, summaries are extracted from the messages.
const options = { files, contextWindow, onEvent, ...(isOffline ? {} : { model }) };

export const agent = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
  .addNode("model", async ({ messages }) => ({ messages: [await withTools.invoke(messages)] }))
  .addNode("tools", new ToolNode(tools))
  .addNode("compact", compactionNode(options))
  .addEdge(START, "compact")
  .addEdge("compact", "model")
  .addEdge("tools", "compact")
  .addConditionalEdges("model", toolsCondition)
  .compile({ checkpointer: saver });
