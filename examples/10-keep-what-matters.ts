// Keeps the messages that matter word for word through a compaction: by rare words, by doubts, and by what the run asks for.
// Run: npx tsx examples/10-keep-what-matters.ts
//
// The agent reads 24 pages of sensor rows. One result is a memo of two sentences, and once the agent doubts what it did.
// The summary model here is a stand-in that forgets both. `importance` and `markers` promote messages within `limits.verbatim`;
// a promoted call keeps its result as a line with the path of the original. Both may look at the config of the run.
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { foldOf, tfIdfImportance } from "@palimpsest/context";
import {
  contextState,
  summarizeWithFilesystemPreservationNode,
  type ContextOptions,
} from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";

const memo =
  "Breaker 7 trips at 52 amps since the March flood. Only the crew of Ines may reset it, after calling depot 9.";
const doubt = "Hmm, perhaps I was wrong about the north hall: let me verify its wiring before I report it.";

const page = (step: number) =>
  Array.from({ length: 30 }, (_, row) => `hall ${step} sensor ${row} reads ${row * 31 + step} volts`).join(
    "\n",
  );
const read = (step: number, said: string, result: string) => [
  new AIMessage({
    id: `call-${step}`,
    content: said,
    tool_calls: [{ id: `read-${step}`, name: "read_hall", args: { hall: step } }],
  }),
  new ToolMessage({ id: `result-${step}`, name: "read_hall", tool_call_id: `read-${step}`, content: result }),
];
const thread: readonly BaseMessage[] = [
  new HumanMessage({ id: "question", content: "Read every hall, then report." }),
  ...Array.from({ length: 24 }, (_, step) =>
    read(step, step === 9 ? doubt : `Reading hall ${step}.`, step === 5 ? memo : page(step)),
  ).flat(),
];

/** A summary model that forgets: a live one would remember more, and sometimes not what you need. */
const forgetful = { invoke: () => Promise.resolve(new AIMessage("## Findings\n- The halls were read.")) };

/** Compacts the thread once, and returns the context. */
async function compacted(options: Partial<ContextOptions>, task: string): Promise<readonly BaseMessage[]> {
  const files = VirtualFilesystem.inMemory();
  const compact = summarizeWithFilesystemPreservationNode({
    files,
    model: forgetful,
    contextWindow: 8_000,
    keep: { turns: 2 },
    limits: { verbatim: 250, excerpts: 0 },
    ...options,
  });
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode("compact", compact)
    .addEdge(START, "compact")
    .compile();
  const config = { configurable: { thread_id: "halls", task } };
  const { messages } = await graph.invoke({ messages: [...thread] }, config);
  return messages;
}

const markers: ContextOptions["markers"] = (config) =>
  config?.configurable?.["task"] === "complex" ? { task: "complex" } : undefined;
const ways: readonly (readonly [string, Partial<ContextOptions>, string])[] = [
  ["nothing promoted", {}, "simple"],
  ["importance: tfIdfImportance", { importance: tfIdfImportance }, "simple"],
  ["markers, in a run that is complex", { markers }, "complex"],
  ["markers, in a run that is simple", { markers }, "simple"],
  [
    "a score of your own",
    { importance: (list) => list.map(({ text }) => Number(text.includes("depot"))) },
    "simple",
  ],
];
for (const [name, options, task] of ways) {
  const context = await compacted(options, task);
  const whole = (text: string) =>
    context.some((message) => foldOf(message) === undefined && message.text === text) ? "whole" : "folded";
  const quoted = context.some(
    (message) => foldOf(message)?.kind === "summary" && message.text.includes("perhaps I was wrong"),
  );
  console.log(
    name.padEnd(36),
    `memo ${whole(memo).padEnd(8)} doubt ${whole(doubt)}${quoted ? ", and quoted in the summary" : ""}`,
  );
}
