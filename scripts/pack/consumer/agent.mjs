// A graph as a user of the published packages writes it. Prints what it did as JSON.
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { compactionNode, contextState } from "@palimpsest/langgraph";
import { readThread } from "@palimpsest/langgraph/threads";
import { VirtualFilesystem } from "@palimpsest/vfs";

const files = VirtualFilesystem.inMemory();
const sizes = [];
const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
  .addNode("model", ({ messages }) => {
    sizes.push(messages.reduce((sum, message) => sum + message.text.length, 0));
    return { messages: [new AIMessage(`Noted ${sizes.length}.`)] };
  })
  .addNode("compact", compactionNode({ files, contextWindow: 8_000 }))
  .addEdge(START, "compact")
  .addEdge("compact", "model")
  .compile({ checkpointer: new MemorySaver() });

const thread = { configurable: { thread_id: "1" } };
for (let turn = 0; turn < 20; turn++) {
  const text = `Report ${turn}: ${`sensor ${turn} is well. `.repeat(120)}`;
  await graph.invoke({ messages: [new HumanMessage(text)] }, thread);
}
const messages = await readThread(graph, thread, { files });
const isBounded = Math.max(...sizes) < 4 * 8_000; // characters of the largest prompt
console.log(JSON.stringify({ messages: messages.length, first: messages[0].text, isBounded }));
