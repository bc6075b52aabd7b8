// createReactAgent: the node is its preModelHook. Run: npx tsx examples/hosts/create-react-agent.ts
import { Annotation, MessagesAnnotation } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextAnnotation, fileTools } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { LogReader, logTool } from "../shared/log-reader.js";
import { config, print, question, type HostRun } from "./host-run.js";

export async function runCreateReactAgent(): Promise<HostRun> {
  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader();
  const agent = createReactAgent({
    llm: model,
    tools: [logTool, ...fileTools({ files })],
    stateSchema: Annotation.Root({ ...MessagesAnnotation.spec, ...contextAnnotation }),
    preModelHook: compactionNode({ files, model, summaryModel: "none" }),
    checkpointer: saver,
  });
  const { messages } = await agent.invoke({ messages: [question] }, config);
  const thread = await readThread(agent, config, { files });
  return { prompts: model.promptTokens, answer: messages.at(-1)?.text, thread };
}

if (process.argv[1] === import.meta.filename) print(await runCreateReactAgent());
