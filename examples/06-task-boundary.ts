// Lets the agent compact at a task boundary, and prints the log that an operator would read.
// Run: npx tsx examples/06-task-boundary.ts
//
// The window is little more than half full when the agent asks, so nothing automatic would have happened: a line at the end
// of its prompt says how full it is, and that a piece of work has just ended. The certificate says what of the first task is
// still in the context, what can be read at which path, and what is lost; a person can read it whole.
import { HumanMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import {
  compactionNode,
  compressContextTool,
  contextState,
  fileTools,
  withContextBudget,
  type ContextEvent,
} from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { printEvent } from "./shared/print-event.js";
import { hostTool, Surveyor, todoTool } from "./shared/surveyor.js";

const files = VirtualFilesystem.inMemory();
const certificates: string[] = [];
const options = {
  files,
  contextWindow: 10_000,
  agentControlled: true,
  keep: { turns: 2 },
  onEvent(event: ContextEvent) {
    printEvent(event);
    if (event.type === "context.certificate") certificates.push(event.certificate.path);
  },
};
const model = new Surveyor({});
const tools = [hostTool, todoTool, compressContextTool(options), ...fileTools({ files })];
const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
  .addNode("model", async ({ messages, compaction }) => ({
    messages: [await model.invoke([...withContextBudget(messages, compaction)])],
  }))
  .addNode("tools", new ToolNode(tools))
  .addNode("compact", compactionNode(options))
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "compact")
  .addEdge("compact", "model")
  .compile();

const question = "Survey the north, then the south. Never restart a host. Which port does north-3 listen on?";
console.log("What happened to the context:");
const { messages } = await graph.invoke(
  { messages: [new HumanMessage({ id: "question", content: question })] },
  { configurable: { thread_id: "survey" }, recursionLimit: 200 },
);
console.log(`\nThe agent: ${messages.at(-1)?.text}`);

const [path = ""] = certificates;
const certificate = await files.thread("survey").archive.readText(path);
console.log(`\n${path}:\n\n${certificate.split("\n").slice(0, 14).join("\n")}\n[…]`);
