import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";

const roles: Readonly<Record<string, string>> = { human: "user", ai: "assistant", tool: "tool" };

/**
 * Returns messages as OpenAI's chat completions take them: text, tool calls and results. Pure.
 * Reasoning, pictures and files have no place there that every model takes, and are left out.
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
