// Comes back to the first of several tasks under a small budget. Run: npx tsx examples/08-come-back-to-a-task.ts
//
// One session, four research tasks of a dozen pages each, and then a question about the first. With recency alone its pages
// are long gone; `predictiveContextNode` shows the lines of them that the question needs, and keeps the rest a
// `glimpse` away. The node stands where `compactionNode` would: nothing else of the graph changes.
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { glimpseTool, predictiveContextNode, type PredictiveContextOptions } from "@palimpsest/langgraph";
import { explainContext } from "@palimpsest/langgraph/threads";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { z } from "zod";

const topics = ["batteries", "bridges", "glaciers", "orchids"];
const pagesPerTask = 12;
const files = VirtualFilesystem.inMemory();
const budget = 4_000;
const options: PredictiveContextOptions = { files, budget };

const readSource = tool(({ topic, page }) => pageText(topic, page), {
  name: "read_source",
  schema: z.object({ topic: z.string(), page: z.number() }),
});

const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("predict", predictiveContextNode(options))
  .addNode("model", ({ messages }) => ({ messages: [researcher(messages)] }))
  .addNode("tools", new ToolNode([readSource, glimpseTool({ files })]))
  .addEdge(START, "predict")
  .addEdge("predict", "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "predict")
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: "research" }, recursionLimit: 100 };
let largest = 0;
for (const topic of topics) {
  const { messages } = await graph.invoke({ messages: [new HumanMessage(`Research ${topic}.`)] }, config);
  console.log(`${topic}: ${estimateTokens(messages)} tokens of context`);
}
const question = new HumanMessage("Back to batteries: what was cell_yield_batteries_3?");
const { messages } = await graph.invoke({ messages: [question] }, config);
console.log(`\n${question.text}\n${messages.at(-1)?.text}`);
console.log(`largest prompt: ${largest} of ${budget} tokens`);

console.log("\nWhy the first steps stand as they stand:");
for (const { step, level, reason } of (await explainContext(graph, config, options)).slice(0, 6)) {
  console.log(`  step ${step}, ${level}: ${reason}`);
}

/** A model in a few lines: reads the pages of the topic one by one, and answers from nothing but its prompt. */
function researcher(prompt: readonly BaseMessage[]): AIMessage {
  largest = Math.max(largest, estimateTokens(prompt));
  const asked =
    prompt.findLast((message) => message.getType() === "human" && !message.text.startsWith("["))?.text ?? "";
  const wanted = /what was (\w+)/.exec(asked)?.[1];
  if (wanted !== undefined) {
    const line = prompt
      .map(({ text }) => text)
      .join("\n")
      .match(new RegExp(`${wanted} = .*`))?.[0];
    return new AIMessage(line ?? `I do not see ${wanted} any more.`);
  }
  const topic = /Research (\w+)/.exec(asked)?.[1] ?? "";
  const read = prompt.flatMap((message) =>
    message.getType() === "ai" ? ((message as AIMessage).tool_calls ?? []) : [],
  );
  const last = read.findLast(({ args }) => args["topic"] === topic)?.args["page"] as number | undefined;
  const page = (last ?? 0) + 1;
  if (page > pagesPerTask) return new AIMessage(`${topic}: done.`);
  const call = {
    id: `${topic}-${page}`,
    name: "read_source",
    args: { topic, page },
    type: "tool_call" as const,
  };
  return new AIMessage({ content: `Reading page ${page} on ${topic}.`, tool_calls: [call] });
}

function pageText(topic: string, page: number): string {
  const facts = Array.from(
    { length: 24 },
    (_, line) => `measured value ${line} of ${topic}: ${page * 7919 + line * 31}`,
  );
  return [`# ${topic}, page ${page}`, `cell_yield_${topic}_${page} = ${page * 104_729}`, ...facts].join("\n");
}
