// createAgent of langchain: one middleware. Run: npx tsx examples/hosts/create-agent.ts
import { VfsSaver } from "@palimpsest/checkpoint";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { readThread } from "@palimpsest/langgraph/threads";
import { createAgent } from "langchain";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

export async function runCreateAgent(): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const agent = createAgent({
    model,
    tools: [logTool],
    middleware: [contextMiddleware({ files, summaryModel: "none" })],
    checkpointer: saver,
  });
  const { messages } = await agent.invoke({ messages: [question] }, config);
  const thread = await readThread(agent.graph, config, { files });
  return { prompts: model.promptTokens, answer: messages.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) print(await runCreateAgent());
