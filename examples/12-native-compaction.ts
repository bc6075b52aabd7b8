// Lets the provider compact in place of a summary, and keeps what the agent has thought. Run: npx tsx examples/12-native-compaction.ts
//
// The real client of Anthropic talks to a local server that enforces the published rules: it signs reasoning over everything
// before it, and refuses what was changed. Its compaction stands for the messages before it; the reasoning of the turns behind
// it stays valid. What it covers is in the archive.
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { contextState, summarizeWithFilesystemPreservationNode } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { anthropicDouble } from "@palimpsest/provider-doubles";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { z } from "zod";
import { CompactingAnthropic } from "./shared/compacting-anthropic.js";
import { printEvent } from "./shared/print-event.js";

const pages = 16;
const server = await anthropicDouble({
  reply(_, call) {
    if (replies++ >= pages) return { thinking: "That was all.", text: "I have read all pages." };
    const calls = [{ name: "read_page", args: { page: replies } }];
    return { thinking: `Call ${call}: page ${replies} is next.`, text: `Reading page ${replies}.`, calls };
  },
});
let replies = 0;

const readPage = tool(({ page }) => `Page ${page}. ${"Words of this page. ".repeat(200)}`, {
  name: "read_page",
  description: "Reads a page.",
  schema: z.object({ page: z.number() }),
});
const model = new CompactingAnthropic({
  model: "claude-double",
  apiKey: "none",
  anthropicApiUrl: server.url,
  maxTokens: 1_000,
  invocationKwargs: { thinking: { type: "adaptive" } },
});
const bound = model.bindTools([readPage]);

const files = VirtualFilesystem.inMemory();
const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
  .addNode("model", async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
  .addNode("tools", new ToolNode([readPage]))
  .addNode(
    "compact",
    summarizeWithFilesystemPreservationNode({
      files,
      model,
      tools: [readPage],
      summaryModel: "native",
      contextWindow: 10_000,
      keep: { fraction: 0.3 },
      onEvent: printEvent,
    }),
  )
  .addEdge(START, "compact")
  .addEdge("compact", "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "compact")
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: "pages" }, recursionLimit: 100 };
const prompt = [new SystemMessage("You read books."), new HumanMessage("Read all pages.")];
const { messages } = await graph.invoke({ messages: prompt }, config);
const thread = await readThread(graph, config, { files });
await server.close();

const refused = server.calls.filter(({ status }) => status !== 200).length;
const dropped = server.calls.reduce((sum, { invalid }) => sum + invalid.length, 0);
const compactions = server.calls.filter(({ request }) => request.compaction !== undefined).length;
const first = server.calls.findIndex(({ request }) => request.compaction !== undefined);
console.log(`${server.calls.length} calls, of which ${compactions} compact; ${refused} refused`);
console.log(
  `reasoning blocks dropped: ${dropped}; sent right behind the first compaction: ${server.calls[first + 1]?.reasoning}`,
);
console.log(`messages in the context: ${messages.length}, in the thread: ${thread.length}`);
console.log(`answer: ${messages.at(-1)?.text}`);
if (refused + dropped > 0 || compactions === 0)
  throw new Error("The compaction of the provider was not carried whole");
