// Images count what a provider bills for them, and are images again when the agent reads them in the archive.
// Run: npx tsx examples/15-images.ts
import { HumanMessage } from "@langchain/core/messages";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { createAgent } from "langchain";
import { PhotoViewer, photoTool } from "./shared/photo-viewer.js";
import { printEvent } from "./shared/print-event.js";

const files = VirtualFilesystem.inMemory();
const model = new PhotoViewer(); // its profile states a window of 16,000 tokens
const agent = createAgent({
  model,
  tools: [photoTool],
  middleware: [contextMiddleware({ files, summaryModel: "none", onEvent: printEvent })],
});

const question = new HumanMessage("Take 24 photos of the fence. Which colour had it in the first one?");
const { messages } = await agent.invoke({ messages: [question] }, { recursionLimit: 60 });

console.log(`largest prompt ${Math.max(...model.promptTokens).toLocaleString("en")} of 16,000 tokens`);
console.log(`answer: ${messages.at(-1)?.text}`);
