// Adds Palimpsest to a graph that somebody else wrote. Run: npx tsx examples/01-add-to-your-graph.ts
//
// `plainAgent` is an ordinary LangGraph agent. `withPalimpsest` is the same agent; the lines marked (+) are all that
// was added. Its state and its model node are untouched.
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { compactionNode, contextInput, fileTools } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { LogReader, logTool } from "./shared/log-reader.js";

function plainAgent(model: BaseChatModel) {
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([logTool]))
    .addEdge(START, "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "model")
    .compile({ checkpointer: new MemorySaver() });
}

function withPalimpsest(model: BaseChatModel) {
  const files = VirtualFilesystem.inMemory(); // (+)
  return new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]), { input: contextInput }) // (+) file tools
    .addNode("compact", compactionNode({ files, contextWindow: 16_000 }), { input: contextInput }) // (+)
    .addEdge(START, "compact") // (+) by the new node
    .addEdge("compact", "model") // (+)
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact") // (+) by the new node
    .compile({ checkpointer: new MemorySaver() });
}

const question = new HumanMessage("Read all 24 log files. What was the error code in the first one?");
const config = { configurable: { thread_id: "example" }, recursionLimit: 200 };

for (const agent of [plainAgent, withPalimpsest]) {
  const model = new LogReader();
  const { messages } = await agent(model).invoke({ messages: [question] }, config);
  console.log(`${agent.name}: largest prompt ${Math.max(...model.promptTokens).toLocaleString("en")} tokens`);
  console.log(`  ${messages.length} messages in the state, ${estimateTokens(messages)} tokens`);
  console.log(`  answer: ${messages.at(-1)?.text}`);
}
