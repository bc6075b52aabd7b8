import { HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import { ReportWriter } from "./report-writer.js";

/** Returns an agent that writes files, with its checkpoints and its files in one saver. */
export function writingAgent(saver: VfsSaver) {
  const { files } = saver;
  const model = new ReportWriter();
  return new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode(fileTools({ files })))
    .addNode("compact", compactionNode({ files, contextWindow: 16_000 }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: saver });
}

export type WritingAgent = ReturnType<typeof writingAgent>;

/** Asks the agent something, from a checkpoint on. Returns the checkpoint at the end. */
export async function ask(
  agent: WritingAgent,
  question: string,
  from: RunnableConfig,
): Promise<RunnableConfig> {
  await agent.invoke({ messages: [new HumanMessage(question)] }, from);
  const { thread_id } = from.configurable ?? {};
  return (await agent.getState({ configurable: { thread_id } })).config;
}

/** Returns what the files of a checkpoint hold, by path. */
export async function filesAt(
  agent: WritingAgent,
  saver: VfsSaver,
  config: RunnableConfig,
): Promise<Record<string, string>> {
  const { values } = await agent.getState(config);
  const { workspace } = saver.files.thread(String(config.configurable?.["thread_id"]), values.files);
  const contents: Record<string, string> = {};
  for (const path of Object.keys(values.files ?? {}).toSorted())
    contents[path] = String((await workspace.readRaw(path)).data?.content).trim();
  return contents;
}
