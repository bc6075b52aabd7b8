// Writes a thread into agent.db, for the command of operators.
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";

const saver = VfsSaver.fromPath("agent.db");
const graph = new StateGraph(MessagesAnnotation)
  .addNode("echo", ({ messages }) => ({ messages: [`I heard: ${messages.at(-1).text}`] }))
  .addEdge(START, "echo")
  .compile({ checkpointer: saver });
await graph.invoke({ messages: ["hello"] }, { configurable: { thread_id: "1" } });
await saver.close();
