import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import type { Trigger } from "@palimpsest/context";
import { compactionNode, contextState, fileTools, searchHistoryTool } from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { readThread } from "@palimpsest/langgraph/threads";
import { RecallIndex } from "@palimpsest/recall";
import { createAgent } from "langchain";

const saver = VfsSaver.inMemory();
const trigger: Trigger = { fraction: 0.8 };
export const tools = [
  ...fileTools({ files: saver.files }),
  searchHistoryTool({ files: saver.files, index: RecallIndex.inMemory() }),
];
export const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
  .addNode("compact", compactionNode({ files: saver.files, trigger, contextWindow: 8_000 }))
  .addEdge(START, "compact")
  .compile({ checkpointer: saver });
export const agent = createAgent({
  model: "openai:gpt-4o",
  tools: [],
  middleware: [contextMiddleware({ files: saver.files })],
});
export const thread = readThread(graph, { configurable: { thread_id: "1" } }, { files: saver.files });
// @ts-expect-error: a trigger of another shape is refused
compactionNode({ files: saver.files, trigger: { share: 0.8 } });
