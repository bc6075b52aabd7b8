import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";

type Block = Readonly<Record<string, unknown>>;

/** A conversation in the format of Anthropic's messages API. */
export interface AnthropicConversation {
  readonly system?: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly content: readonly Block[] }[];
}

/**
 * Returns messages in the format of Anthropic's messages API: system messages apart, results as blocks of the user, and
 * adjacent messages of one role joined. Omits reasoning, images and files. Pure.
 */
export function anthropicMessages(messages: readonly BaseMessage[]): AnthropicConversation {
  const system = messages.filter((message) => message.getType() === "system").map(({ text }) => text);
  const turns: { role: "user" | "assistant"; content: Block[] }[] = [];
  for (const message of messages) {
    if (message.getType() === "system") continue;
    const role = message.getType() === "ai" ? "assistant" : "user";
    const content = blocksOf(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content: [...content] });
  }
  return { ...(system.length === 0 ? {} : { system: system.join("\n\n") }), messages: turns };
}

/** The API refuses empty text. */
function blocksOf(message: BaseMessage): readonly Block[] {
  if (message.getType() === "tool") {
    const { tool_call_id: id, status } = message as ToolMessage;
    const failed = status === "error" ? { is_error: true } : {};
    return [{ type: "tool_result", tool_use_id: id, content: message.text, ...failed }];
  }
  const text = message.text === "" ? [] : [{ type: "text", text: message.text }];
  const calls = toolCalls(message).map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  return [...text, ...calls];
}
