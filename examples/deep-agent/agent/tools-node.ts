import { type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { type RunnableConfig } from "@langchain/core/runnables";
import { type StructuredToolInterface } from "@langchain/core/tools";
import { isCommand, type Command } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { type Recorder } from "../recorder.js";

/** Returns LangGraph's tool node with a witness: the recorder sees what it returns. */
export function toolsNode(tools: readonly StructuredToolInterface[], recorder: Recorder) {
  const node = new ToolNode([...tools]);
  return async function callTools(
    state: { messages: BaseMessage[] },
    config: RunnableConfig,
  ): Promise<ToolOutput> {
    const output = (await node.invoke(state, config)) as ToolOutput;
    const messages = toolMessagesIn(output);
    const calls = (state.messages.at(-1) as { tool_calls?: { id?: string }[] }).tool_calls ?? [];
    const order = calls.map((call) => call.id);
    const sorted = messages.toSorted((a, b) => order.indexOf(a.tool_call_id) - order.indexOf(b.tool_call_id));
    recorder.toolMessages(String(config.configurable?.["thread_id"]), sorted);
    return output;
  };
}

type ToolOutput = { messages: BaseMessage[] } | (Command | { messages: BaseMessage[] })[];

function toolMessagesIn(output: ToolOutput): ToolMessage[] {
  const updates = Array.isArray(output) ? output : [output];
  return updates.flatMap((each) => {
    const update = isCommand(each) ? each.update : each;
    const { messages = [] } = (update ?? {}) as { messages?: BaseMessage[] };
    return messages.filter((message): message is ToolMessage => message.type === "tool");
  });
}
