// A project of CommonJS: compiled to `require`, and run by Jest.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import type { Trigger } from "@palimpsest/context";
import { foldBlocks } from "@palimpsest/context/folding";
import { compactionNode } from "@palimpsest/langgraph";
import { contextMiddleware } from "@palimpsest/langgraph/middleware";
import { readThread } from "@palimpsest/langgraph/threads";
import { RecallIndex } from "@palimpsest/recall";

const trigger: Trigger = { fraction: 0.8 };

/** Returns the messages of a thread that was folded, as they happened. */
export async function run(saver: VfsSaver): Promise<string[]> {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("compact", compactionNode({ files: saver.files, trigger, contextWindow: 4_000 }))
    .addNode("model", () => ({ messages: [new AIMessage("word ".repeat(300))] }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .compile({ checkpointer: saver });
  const thread = { configurable: { thread_id: "1" } };
  for (let turn = 0; turn < 12; turn++)
    await graph.invoke({ messages: [new HumanMessage(`Question ${turn}`)] }, thread);
  const messages = await readThread(graph, thread, { files: saver.files });
  return messages.map((message) => message.text);
}

export async function all(path: string): Promise<readonly unknown[]> {
  const saver = VfsSaver.fromPath(path);
  const texts = await run(saver);
  await saver.close();
  const inMemory = await run(VfsSaver.inMemory());
  return [
    texts.length,
    texts[0],
    inMemory.length,
    typeof contextMiddleware,
    typeof foldBlocks,
    typeof RecallIndex,
  ];
}
