// Runs one deep agent with its own summarization and with Palimpsest. Run: npx tsx examples/hosts/deep-agent.ts
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { archiveBackend, contextMiddleware } from "@palimpsest/langgraph/middleware";
import { readThread } from "@palimpsest/langgraph/threads";
import { CompositeBackend, createDeepAgent, StateBackend } from "deepagents";
import { LogReader, logTool } from "../shared/log-reader.js";

const question = new HumanMessage("Read all 24 log files. What was the error code in the first one?");
const config = { configurable: { thread_id: "t1" }, recursionLimit: 300 };
const parts = { tools: [logTool], systemPrompt: "You read logs." };

export async function runDeepAgents() {
  const plain = new LogReader({ contextWindow: 32_000 });
  const before = createDeepAgent({ ...parts, model: plain, checkpointer: new MemorySaver() });
  const first = await before.invoke({ messages: [question] }, config);

  const saver = VfsSaver.inMemory();
  const { files } = saver;
  const model = new LogReader({ contextWindow: 32_000 });
  const after = createDeepAgent({
    ...parts,
    model,
    middleware: [contextMiddleware({ files, host: "deepagents", summaryModel: "none" })],
    backend: new CompositeBackend(new StateBackend(), { "/context/": archiveBackend({ files }) }),
    checkpointer: saver,
  });
  const second = await after.invoke({ messages: [question] }, config);
  const thread = await readThread(after.graph, config, { files });
  return {
    before: { prompts: plain.promptTokens, answer: first.messages.at(-1)?.text, kept: first.messages },
    after: {
      prompts: model.promptTokens,
      answer: second.messages.at(-1)?.text,
      kept: second.messages,
      thread,
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const { before, after } = await runDeepAgents();
  console.log(
    "deepagents:     largest prompt",
    Math.max(...before.prompts),
    "tokens; answer:",
    before.answer,
  );
  console.log("with Palimpsest: largest prompt", Math.max(...after.prompts), "tokens; answer:", after.answer);
  console.log("messages in the state, and read back from it:", after.kept.length, after.thread.length);
}
