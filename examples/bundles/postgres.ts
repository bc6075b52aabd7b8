// Checkpoints and files in Postgres, and nothing else: no SQLite file is opened, so no native package is loaded.
import { AIMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";

async function main(url: string): Promise<void> {
  const saver = await VfsSaver.fromPostgres(url);
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode("model", () => ({ messages: [new AIMessage("Hello")] }))
    .addEdge(START, "model")
    .compile({ checkpointer: saver });
  const config = { configurable: { thread_id: "bundled" } };
  await graph.invoke({ messages: "Hello?" }, config);
  const { messages } = await graph.invoke({ messages: "And again?" }, config);
  await saver.deleteThread("bundled");
  await saver.close();
  console.log(JSON.stringify({ messages: messages.length }));
}

void main(process.env["DATABASE_URL"] ?? "");
