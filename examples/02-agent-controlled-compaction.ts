// Lets the agent decide when to compact. Run: npx tsx examples/02-agent-controlled-compaction.ts
//
// With `agentControlled` the automatic trigger moves up to 0.95: a safety net for an agent that forgets to ask. The agent
// asks with `compress_context`, and `withContextBudget` tells it how full the window is. Neither the tool's description nor
// a line that was sent ever changes, so the provider's cache and the model's reasoning hold.
import { HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import {
  compactionCondition,
  compactionNode,
  compressContextTool,
  contextState,
  fileTools,
  withContextBudget,
} from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { LogReader, logTool } from "./shared/log-reader.js";
import { printEvent } from "./shared/print-event.js";

function agent(model: LogReader) {
  const files = VirtualFilesystem.inMemory();
  const options = { files, contextWindow: 16_000, agentControlled: true, onEvent: printEvent };
  const tools = [logTool, compressContextTool(options), ...fileTools({ files })];
  return (
    new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
      .addNode("model", async ({ messages, compaction }) => {
        const prompt = [...withContextBudget(messages, compaction)];
        return { messages: [await model.bindTools(tools).invoke(prompt)] };
      })
      .addNode("tools", new ToolNode(tools))
      .addNode("compact", compactionNode(options))
      .addEdge(START, "model")
      .addConditionalEdges("model", toolsCondition)
      // Goes by the node only when there is something to do: an always-run node costs a checkpoint at each step.
      .addConditionalEdges("tools", compactionCondition(options), ["compact", "model"])
      .addEdge("compact", "model")
      .compile()
  );
}

const question = new HumanMessage("Read all 24 log files. What was the error code in the first one?");

for (const compressAbove of [50, Infinity]) {
  const asks = Number.isFinite(compressAbove);
  console.log(asks ? `An agent that asks above ${compressAbove} %:` : "An agent that never asks:");
  const model = new LogReader({ compressAbove });
  const { messages } = await agent(model).invoke({ messages: [question] }, { recursionLimit: 200 });
  console.log(`  largest prompt ${Math.max(...model.promptTokens).toLocaleString("en")} of 16,000 tokens`);
  console.log(`  answer: ${messages.at(-1)?.text}\n`);
}
