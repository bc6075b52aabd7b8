// Adds Palimpsest to a `createAgent` agent in one line. Run: npx tsx examples/03-create-agent-middleware.ts
import { HumanMessage } from "@langchain/core/messages";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { LogReader, logTool } from "./shared/log-reader.js";
import { printEvent } from "./shared/print-event.js";

const files = VirtualFilesystem.inMemory();
const model = new LogReader(); // its profile states a window of 16,000 tokens
const agent = createAgent({
  model,
  tools: [logTool],
  middleware: [contextMiddleware({ files, summaryModel: "none", onEvent: printEvent })],
});

const question = new HumanMessage("Read all 24 log files. What was the error code in the first one?");
const { messages } = await agent.invoke({ messages: [question] }, { recursionLimit: 300 });

console.log(`largest prompt ${Math.max(...model.promptTokens).toLocaleString("en")} of 16,000 tokens`);
console.log(`answer: ${messages.at(-1)?.text}`);
