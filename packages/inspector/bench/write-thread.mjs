import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { VfsSaver } from "@palimpsest/checkpoint";
import { compactionCondition, compactionNode, contextAnnotation } from "@palimpsest/langgraph";

/** Tokens. */
export const contextWindow = 128_000;
const wordsOfResult = 300;
const turns = 25;

/** Writes a thread of at least so many checkpoints: an agent that reads a page at each second step, and is compacted. */
export async function writeThread(path, { thread, checkpoints }) {
  const saver = VfsSaver.fromPath(path);
  const options = { files: saver.files, contextWindow };
  let calls = 0;
  const graph = new StateGraph(Annotation.Root({ ...MessagesAnnotation.spec, ...contextAnnotation }))
    .addNode("compact", compactionNode(options))
    .addNode("model", ({ messages }) => ({ messages: [reply(messages, ++calls)] }))
    .addNode("tools", ({ messages }) => ({ messages: [result(messages.at(-1), calls)] }))
    .addConditionalEdges(START, compactionCondition(options))
    .addEdge("compact", "model")
    .addConditionalEdges("model", ({ messages }) =>
      messages.at(-1).tool_calls.length > 0 ? "tools" : "__end__",
    )
    .addConditionalEdges("tools", compactionCondition(options))
    .compile({ checkpointer: saver });
  let written = 0;
  for (let turn = 0; written < checkpoints; turn++) {
    const input = { messages: [new HumanMessage({ id: `h${turn}`, content: `Read ${turns} pages more.` })] };
    await graph.invoke(input, { configurable: { thread_id: thread }, recursionLimit: 4 * turns });
    written = 0;
    for await (const _ of saver.checkpoints(thread)) written += 1;
  }
  await saver.close();
  return written;
}

function reply(messages, at) {
  const usage = {
    input_tokens: 300 * messages.length,
    output_tokens: 40,
    total_tokens: 300 * messages.length + 40,
  };
  const reported = { usage_metadata: usage, response_metadata: { model_name: "bench" } };
  if (at % turns === 0) return new AIMessage({ id: `a${at}`, content: `Read ${turns} pages.`, ...reported });
  const call = { id: `c${at}`, name: "read_page", args: { page: at } };
  return new AIMessage({ id: `a${at}`, content: `Reading page ${at}.`, tool_calls: [call], ...reported });
}

function result(message, at) {
  const [call] = message.tool_calls;
  const content = Array.from(
    { length: wordsOfResult },
    (_, word) => `w${((at * 7_919 + word) * 31) % 9_973}`,
  ).join(" ");
  return new ToolMessage({ id: `t${at}`, tool_call_id: call.id, name: call.name, content });
}
