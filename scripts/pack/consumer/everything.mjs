// Imports every entry point, and keeps a thread in a file.
import * as context from "@palimpsest/context";
import * as folding from "@palimpsest/context/folding";
import * as selection from "@palimpsest/context/selection";
import * as middleware from "@palimpsest/langgraph/middleware";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { RecallIndex } from "@palimpsest/recall";

const saver = VfsSaver.inMemory();
const graph = new StateGraph(MessagesAnnotation)
  .addNode("echo", ({ messages }) => ({ messages: [`I heard: ${messages.at(-1).text}`] }))
  .addEdge(START, "echo")
  .compile({ checkpointer: saver });
const thread = { configurable: { thread_id: "1" } };
await graph.invoke({ messages: ["hello"] }, thread);
const { messages } = (await graph.getState(thread)).values;
const index = RecallIndex.inMemory();
await index.add([{ thread: "1", path: "/context/history/1.md", line: 1, text: messages[1].text }]);
const [hit] = await index.search("heard", { thread: "1" });
const exports = [context, folding, selection, middleware].map((module) => Object.keys(module).length > 0);
// It loads what it needs of another package only then.
const { threads } = await saver.erase({ match: "hello", reason: "asked" });
console.log(JSON.stringify({ answer: messages[1].text, hit: hit.text, exports, erased: threads.length }));
