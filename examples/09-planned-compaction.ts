// Compacts where that makes the bill smaller, long before the window is full, and prints both bills.
// Run: npx tsx examples/09-planned-compaction.ts
//
// The window is never full, so without a planner nothing is folded and every call pays for all that was read so far. With
// one, the events tell what each compaction costs and what the one before has saved. Prices are yours to state; those
// here are made up, in units of a token of input.
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { compactionNode, contextState, fileTools, type ContextEvent } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { LogReader, logTool } from "./shared/log-reader.js";
import { printEvent } from "./shared/print-event.js";

const prices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };
const question = new HumanMessage("Read all 24 log files. What was the error code in the first one?");

for (const planner of [undefined, { prices }]) {
  console.log(planner === undefined ? "Without a planner:" : "With a planner:");
  const files = VirtualFilesystem.inMemory();
  const prompts: (readonly BaseMessage[])[] = [];
  const model = new LogReader();
  const common = { files, contextWindow: 200_000, keep: { turns: 1 }, onEvent: printCompaction };
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("model", async ({ messages }) => {
      prompts.push([...messages]);
      return { messages: [await model.invoke(messages)] };
    })
    .addNode("tools", new ToolNode([logTool, ...fileTools({ files })]))
    .addNode("compact", compactionNode(planner === undefined ? common : { ...common, planner }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addConditionalEdges("model", toolsCondition)
    .addEdge("tools", "compact")
    .compile();
  const config = { configurable: { thread_id: "logs" }, recursionLimit: 200 };
  const { messages } = await graph.invoke({ messages: [question] }, config);
  console.log(`  largest prompt ${Math.max(...prompts.map((prompt) => estimateTokens(prompt)))} tokens`);
  console.log(`  bill of ${prompts.length} calls: as much as ${billOf(prompts)} tokens of input`);
  console.log(`  answer: ${messages.at(-1)?.text}`);
}

function printCompaction(event: ContextEvent): void {
  if (event.type === "context.compaction") printEvent(event);
}

/** What a provider that keeps the beginning of the last prompt would charge. */
function billOf(prompts: readonly (readonly BaseMessage[])[]): number {
  const spent = prompts.map((prompt, at) => {
    const differs = prompt.findIndex((message, index) => message.text !== prompts[at - 1]?.[index]?.text);
    const cached = estimateTokens(differs < 0 ? prompt : prompt.slice(0, differs));
    return prices.cachedInput * cached + prices.cacheWrite * (estimateTokens(prompt) - cached);
  });
  return Math.round(spent.reduce((sum, one) => sum + one, 0));
}
