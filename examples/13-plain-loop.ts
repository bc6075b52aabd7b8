// A plain loop without a graph: the node is a function. Run: npx tsx examples/13-plain-loop.ts
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { compactionNode, fileTools, type CompactionState } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { LogReader, logTool } from "./shared/log-reader.js";

const files = VirtualFilesystem.inMemory();
const model = new LogReader(); // its profile states a window of 16,000 tokens
const tools: StructuredToolInterface[] = [logTool, ...fileTools({ files })];
const compact = compactionNode({ files, model, summaryModel: "none", outputKey: "context" });
const config = { configurable: { thread_id: "loop" } };

const thread: BaseMessage[] = [
  new HumanMessage("Read all 24 log files. What was the error code in the first one?"),
];
let context: BaseMessage[] = []; // what the model is sent
let compaction: CompactionState = {}; // what the node remembers: store both with the thread
for (let isDone = false; !isDone;) {
  const update = await compact({ messages: thread, context, compaction }, config);
  context = update["context"] as BaseMessage[];
  compaction = { ...compaction, ...(update["compaction"] as CompactionState) };
  const answer = await model.invoke(context);
  thread.push(answer);
  for (const call of answer.tool_calls ?? []) {
    const tool = tools.find(({ name }) => name === call.name);
    thread.push(await tool?.invoke({ ...call, type: "tool_call" }, config));
  }
  isDone = !answer.tool_calls?.length;
}

console.log(`largest prompt ${Math.max(...model.promptTokens).toLocaleString("en")} of 16,000 tokens`);
console.log(`answer: ${thread.at(-1)?.text}`);
