// An agent as a node of a larger graph: both compact, in the same files. Run: npx tsx examples/hosts/subgraph.ts
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

export async function runSubgraph(): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const State = new StateSchema({ messages: MessagesValue, ...contextState });
  const compact = compactionNode({ files, model, summaryModel: "none" });
  const agent = new StateGraph(State)
    .addNode("compact", compact)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile();
  const graph = new StateGraph(State)
    .addNode("compact", compact) // keeps the list of the larger graph short as well
    .addNode("agent", agent)
    .addEdge(START, "compact")
    .addEdge("compact", "agent")
    .compile({ checkpointer: saver });
  const { messages } = await graph.invoke({ messages: [question] }, config);
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: messages.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) print(await runSubgraph());
