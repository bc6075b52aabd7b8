import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import type { ContextEvent } from "../context-event.js";
import { contextState } from "../run/context-state.js";
import { compactionNode } from "../nodes/compaction-node.js";
import { ScriptedModel } from "./scripted-model.js";

/** Runs a thread until a summary has replaced its old messages. */
export async function compacted(
  onEvent: (event: ContextEvent) => unknown,
  config: RunnableConfig = {},
): Promise<void> {
  const model = new ScriptedModel(() => new AIMessage("## Goal\nRead all pages."));
  const files = VirtualFilesystem.inMemory();
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
    .addNode(
      "compact",
      compactionNode({ model, files, contextWindow: 4_000, keep: { messages: 4 }, onEvent }),
    )
    .addEdge(START, "compact")
    .addEdge("compact", END)
    .compile();
  const turns = Array.from({ length: 12 }, (_, turn) => [
    new HumanMessage({ id: `h${turn}`, content: `Read page ${turn}.` }),
    new AIMessage({
      id: `a${turn}`,
      content: "",
      tool_calls: [{ id: `c${turn}`, name: "read", args: { turn } }],
    }),
    new ToolMessage({ id: `t${turn}`, tool_call_id: `c${turn}`, content: `line of ${turn}\n`.repeat(150) }),
    new AIMessage({ id: `b${turn}`, content: `Page ${turn} is read.` }),
  ]);
  await graph.invoke({ messages: turns.flat() }, { ...config, configurable: { thread_id: "reader" } });
}
