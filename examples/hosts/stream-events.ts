// Streaming: calls of the summary model are tagged, so that a page can leave them out.
// Run: npx tsx examples/hosts/stream-events.ts
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

export interface StreamedRun extends HostRun {
  /** How many calls of models ended. */
  readonly calls: { readonly answers: number; readonly summaries: number };
}

export async function runStreamEvents(): Promise<StreamedRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const summaryModel = new FakeListChatModel({
    responses: ["## Findings\n- The logs were read one after the other."],
  });
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode({ files, model, summaryModel }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: saver });

  const calls = { answers: 0, summaries: 0 };
  for await (const { event, tags } of graph.streamEvents(
    { messages: [question] },
    { ...config, version: "v2" },
  )) {
    if (event !== "on_chat_model_end") continue; // on_chat_model_stream has the same tags
    if (tags?.includes("palimpsest:summary")) calls.summaries += 1;
    else calls.answers += 1; // what a page shows
  }
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: thread.at(-1)?.text, thread, calls };
}

if (process.argv[1] === import.meta.filename) {
  const run = await runStreamEvents();
  print(run);
  console.log(`${run.calls.answers} chunks of answers, ${run.calls.summaries} of summaries`);
}
