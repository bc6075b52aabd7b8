// A person approves each call, after a pause that other processes may end. Run: npx tsx examples/hosts/human-in-the-loop.ts
import { Command, interrupt, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState, fileTools } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

export async function runHumanInTheLoop(): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const tools = new ToolNode([logTool, ...fileTools({ files })]);
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compactionNode({ files, model, summaryModel: "none" }))
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", async (state, runConfig) => {
      if (interrupt("May the agent go on?") !== "yes") throw new Error("refused");
      return tools.invoke(state, runConfig);
    })
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile({ checkpointer: saver });

  await graph.invoke({ messages: [question] }, config);
  while ((await graph.getState(config)).next.length > 0) {
    await graph.invoke(new Command({ resume: "yes" }), config);
  }
  const thread = await readThread(graph, config, { files });
  return { prompts: model.promptTokens, answer: thread.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) print(await runHumanInTheLoop());
