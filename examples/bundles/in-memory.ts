// An agent without a native package: checkpoints and files in the memory of the process. bundles.test.ts bundles and runs it.
import { AIMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionNode } from "@palimpsest/langgraph";

const saver = VfsSaver.inMemory();
const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
  .addNode("compact", compactionNode({ files: saver.files, contextWindow: 4_000 }))
  .addNode("model", () => ({ messages: [new AIMessage("word ".repeat(400))] }))
  .addEdge(START, "compact")
  .addEdge("compact", "model")
  .compile({ checkpointer: saver });

async function main(): Promise<void> {
  const config = { configurable: { thread_id: "bundled" } };
  for (let turn = 0; turn < 12; turn++) await graph.invoke({ messages: `Question ${turn}` }, config);
  const archived: string[] = [];
  for await (const { path } of saver.files.thread("bundled").archive.list()) archived.push(path);
  console.log(JSON.stringify({ isFolded: archived.length > 0 }));
}

void main();
