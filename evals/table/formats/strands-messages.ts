import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isAi, isToolResult, messageText } from "@palimpsest/context/internal";
import {
  Message,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  type ContentBlock,
  type JSONValue,
} from "@strands-agents/sdk";
import type { Format } from "./translator.js";

/** Messages of the Strands Agents SDK, without system prompts, which it keeps outside of them. */
export const strandsFormat: Format<Message> = {
  toTheirs(turn) {
    const [first] = turn;
    const role = first !== undefined && isAi(first) ? "assistant" : "user";
    return new Message({ role, content: turn.flatMap(blocksOf) });
  },
  toOurs({ role, content }) {
    const text = content.flatMap((block) => (block.type === "textBlock" ? [block.text] : [])).join("\n");
    const results = content.flatMap((block) => (block.type === "toolResultBlock" ? [resultOf(block)] : []));
    if (role === "user") return [...results, ...(text === "" ? [] : [new HumanMessage(text)])];
    const calls = content.flatMap((block) => (block.type === "toolUseBlock" ? [callOf(block)] : []));
    return [new AIMessage({ content: text, tool_calls: calls })];
  },
};

function blocksOf(message: BaseMessage): readonly ContentBlock[] {
  const text = messageText(message);
  if (isToolResult(message)) {
    const { tool_call_id: toolUseId, status = "success" } = message;
    return [new ToolResultBlock({ toolUseId, status, content: [new TextBlock(text)] })];
  }
  const uses = toolCalls(message).map(
    ({ id = "", name, args }) => new ToolUseBlock({ toolUseId: id, name, input: args as JSONValue }),
  );
  return text === "" && uses.length > 0 ? uses : [new TextBlock(text), ...uses];
}

function resultOf({ toolUseId, status, content }: ToolResultBlock): BaseMessage {
  const text = content.flatMap((item) => (item.type === "textBlock" ? [item.text] : [])).join("\n");
  return new ToolMessage({ tool_call_id: toolUseId, status, content: text });
}

function callOf({ toolUseId, name, input }: ToolUseBlock) {
  return { id: toolUseId, name, args: input as Record<string, unknown>, type: "tool_call" as const };
}
