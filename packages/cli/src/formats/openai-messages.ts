import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";

const roles: Readonly<Record<string, string>> = { human: "user", ai: "assistant", tool: "tool" };

/**
 * Returns messages in the format of OpenAI's chat completions: text, tool calls and results. Omits reasoning, images and files,
 * which not every model accepts. Pure.
 */
export function openaiMessages(messages: readonly BaseMessage[]): readonly object[] {
  return messages.map((message) => {
    const calls = toolCalls(message).map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    return {
      role: roles[message.getType()] ?? "system",
      content: message.text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(message.getType() === "tool" ? { tool_call_id: (message as ToolMessage).tool_call_id } : {}),
    };
  });
}
