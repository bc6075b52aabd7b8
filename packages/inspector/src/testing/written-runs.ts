import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode, contextState } from "@palimpsest/langgraph";

/** The needle of one result that a run of the subgraph has folded away. */
export const innerNeedle = "the magpie token is 1729";

/**
 * Runs a graph twice that asks a subgraph each time, whose agent folds what it reads and asks a subgraph of its own. A second
 * subgraph keeps its checkpoints from run to run.
 */
export async function writeRuns(saver: VfsSaver, threadId: string): Promise<void> {
  const State = new StateSchema({ messages: MessagesValue, ...contextState });
  const options = { files: saver.files, contextWindow: 3_000, keep: { messages: 3 } };
  const deepest = new StateGraph(State)
    .addNode("answer", () => ({ messages: [new AIMessage("Counted.")] }))
    .addEdge(START, "answer");
  const inner = new StateGraph(State)
    .addNode("read", ({ messages }) => ({ messages: callAndResult(messages) }))
    .addNode("compact", compactionNode(options))
    .addNode("deepest", deepest.compile())
    .addEdge(START, "read")
    .addEdge("read", "compact")
    .addConditionalEdges("compact", ({ messages }) => (readIn(messages) < 8 ? "read" : "deepest"))
    .addEdge("deepest", END);
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("inner", async (_, config) => {
      const run = inner.compile();
      const { messages } = await run.invoke({ messages: [new HumanMessage("Read the pages.")] }, config);
      return { messages: messages.slice(-1) };
    })
    .addNode("steady", deepest.compile({ checkpointer: true }))
    .addEdge(START, "inner")
    .addEdge("inner", "steady")
    .compile({ checkpointer: saver });
  for (const question of ["Go.", "Again."])
    await graph.invoke(
      { messages: [new HumanMessage(question)] },
      { configurable: { thread_id: threadId }, recursionLimit: 60 },
    );
}

function readIn(messages: readonly BaseMessage[]): number {
  return Number(messages.findLast(({ name }) => name === "fetch")?.id?.slice(1) ?? 0);
}

function callAndResult(messages: readonly BaseMessage[]): BaseMessage[] {
  const page = readIn(messages) + 1;
  const call = { id: `call-${page}`, name: "fetch", args: { page } };
  const line = page === 1 ? innerNeedle : `line of page ${page}`;
  return [
    new AIMessage({ id: `a${page}`, content: "", tool_calls: [call] }),
    new ToolMessage({
      id: `r${page}`,
      name: "fetch",
      tool_call_id: call.id,
      content: `${line}\n`.repeat(100),
    }),
  ];
}
