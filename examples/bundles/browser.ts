// The pure functions in a browser, which has none of Node's modules.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { estimateTokens, offloadLargeToolResults, unfold } from "@palimpsest/context";

const text = "line of a log\n".repeat(20_000);
const call = { id: "1", name: "search", args: {} };
const messages = [
  new HumanMessage({ id: "q", content: "What does the log say?" }),
  new AIMessage({ id: "a", content: "", tool_calls: [call] }),
  new ToolMessage({ id: "r", content: text, tool_call_id: "1", name: "search", artifact: new Uint8Array(3) }),
];

async function main(): Promise<void> {
  const { messages: sent, writes } = offloadLargeToolResults(messages);
  const archive = new Map(writes.map(({ path, content }) => [path, content]));
  const thread = await unfold(sent, async (path) => archive.get(path) ?? "");
  console.log(
    JSON.stringify({
      before: estimateTokens(messages),
      after: estimateTokens(sent),
      isWhole: thread[2]?.text === text,
      paths: [...archive.keys()],
    }),
  );
}

void main();
