import { VfsSaver } from "@palimpsest/checkpoint";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { createAgent } from "langchain";
import { onEvent } from "./events.js";
import { contextWindow, isOffline, model } from "./model.js";
import { logTool } from "./offline-model.js";

export const saver = VfsSaver.fromPath("agent.db"); // checkpoints and files
// The agent's model writes the summaries; the offline one cannot, so they are extracted from the messages.
const summaries = isOffline ? { summaryModel: "none" as const } : {};

export const agent = createAgent({
  model,
  tools: [logTool], // put your tools here
  checkpointer: saver,
  middleware: [contextMiddleware({ files: saver.files, contextWindow, onEvent, ...summaries })],
});
