// The Vercel AI SDK: `prepareStep` sends the context in place of the thread. Run: npx tsx examples/14-vercel-ai-sdk.ts
import type { BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { compactionNode, fileTools, type CompactionState } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { generateText, stepCountIs, tool } from "ai";
import type { z } from "zod";
import { aiSdkLogReader, promptTokens } from "./shared/ai-sdk-log-reader.js";
import { logTool } from "./shared/log-reader.js";
import { fromModelMessages, toModelMessages } from "./shared/model-messages.js";

const files = VirtualFilesystem.inMemory();
const compact = compactionNode({ files, contextWindow: 16_000, summaryModel: "none", outputKey: "context" });
const config = { configurable: { thread_id: "ai-sdk" } };

const tools = Object.fromEntries(
  [logTool, ...fileTools({ files })].map((one: StructuredToolInterface) => {
    const execute = async (input: object): Promise<string> => String(await one.invoke(input, config));
    const { name, description, schema: inputSchema } = one;
    return [name, tool({ description, inputSchema: inputSchema as z.ZodType<object>, execute })];
  }),
);

let context: BaseMessage[] = []; // what the model is sent
let compaction: CompactionState = {}; // what the node remembers: store both with the thread
const { text } = await generateText({
  model: aiSdkLogReader,
  tools,
  prompt: "Read all 24 log files. What was the error code in the first one?",
  stopWhen: stepCountIs(100),
  prepareStep: async ({ messages }) => {
    const update = await compact({ messages: fromModelMessages(messages), context, compaction }, config);
    context = update["context"] as BaseMessage[];
    compaction = { ...compaction, ...(update["compaction"] as CompactionState) };
    return { messages: toModelMessages(context) };
  },
});

console.log(`largest prompt ${Math.max(...promptTokens).toLocaleString("en")} of 16,000 tokens`);
console.log(`answer: ${text}`);
