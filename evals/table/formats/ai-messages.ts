import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { isAi, isToolResult, messageText } from "@palimpsest/context/internal";
import type { AssistantModelMessage, ModelMessage, ToolModelMessage, UserModelMessage } from "ai";
import type { Format } from "./translator.js";

/** Messages of the AI SDK. */
export const aiFormat: Format<ModelMessage> = {
  toTheirs(turn) {
    const [first] = turn as readonly [BaseMessage];
    const content = messageText(first);
    if (isToolResult(first)) return { role: "tool", content: turn.flatMap(resultOf) };
    if (first.getType() === "system") return { role: "system", content };
    return isAi(first) ? answerOf(first, content) : { role: "user", content };
  },
  toOurs(message) {
    if (message.role === "tool") return message.content.flatMap(toolMessageOf);
    if (message.role === "assistant") return [aiMessageOf(message)];
    if (message.role === "system") return [new SystemMessage(message.content)];
    return [new HumanMessage(textOfUser(message))];
  },
};

function answerOf(message: BaseMessage, text: string): AssistantModelMessage {
  const calls = toolCalls(message).map(({ id: toolCallId = "", name: toolName, args: input }) => ({
    type: "tool-call" as const,
    toolCallId,
    toolName,
    input,
  }));
  return {
    role: "assistant",
    content: text === "" ? calls : [{ type: "text", text }, ...calls],
  };
}

function resultOf(message: BaseMessage): ToolModelMessage["content"] {
  if (!isToolResult(message)) return [];
  const { tool_call_id: toolCallId, name: toolName = "tool" } = message;
  return [
    { type: "tool-result", toolCallId, toolName, output: { type: "text", value: messageText(message) } },
  ];
}

function textOfUser({ content }: UserModelMessage): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function aiMessageOf({ content }: AssistantModelMessage): BaseMessage {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return new AIMessage({
    content: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    tool_calls: parts.flatMap((part) =>
      part.type === "tool-call"
        ? [{ id: part.toolCallId, name: part.toolName, args: part.input as Record<string, unknown> }]
        : [],
    ),
  });
}

function toolMessageOf(part: ToolModelMessage["content"][number]): readonly BaseMessage[] {
  if (part.type !== "tool-result" || part.output.type !== "text") return [];
  const { toolCallId, toolName, output } = part;
  return [new ToolMessage({ tool_call_id: toolCallId, name: toolName, content: output.value })];
}
