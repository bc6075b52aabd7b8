import { VfsSaver } from "@palimpsest/checkpoint";
import { archiveBackend, contextMiddleware } from "@palimpsest/langgraph/middleware";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { onEvent } from "./events.js";
import { contextWindow, isOffline, model } from "./model.js";
import { logTool } from "./offline-model.js";

export const saver = VfsSaver.fromPath("agent.db"); // checkpoints and files
const { files } = saver;
// Without a model, summaries are extracted from the messages.
const summaries = isOffline ? { summaryModel: "none" as const } : {};

export const agent = createDeepAgent({
  model,
  tools: [logTool], // put your tools here
  systemPrompt: "You read logs.",
  checkpointer: saver,
  backend: new CompositeBackend(new StateBackend(), { "/context/": archiveBackend({ files }) }),
  middleware: [contextMiddleware({ files, host: "deepagents", contextWindow, onEvent, ...summaries })],
});
