import type { AIMessage, BaseMessage } from "@langchain/core/messages";

export type Provider = "langgraph" | "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** A violation of a provider's rule in a list of messages. */
export interface Illegality {
  /** Name of the rule that is broken. */
  readonly rule: string;
  /** One sentence that names message and call ids. */
  readonly message: string;
  /** Index of the message. */
  readonly index: number;
}

/** A named rule, and the providers that enforce it. Pure, O(messages). */
export interface LegalityRule {
  readonly name: string;
  readonly providers: readonly Provider[];
  readonly check: (messages: readonly BaseMessage[]) => readonly Omit<Illegality, "rule">[];
}

/** Returns the name of a message in a report: its id, or its index where it has none. */
export function nameOf(message: BaseMessage, index: number): string {
  return message.id === undefined || message.id === "" ? `at ${index}` : message.id;
}

/** Returns the content blocks of a message; none for string content. */
export function arrayContent({ content }: BaseMessage): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(content) ? content : [];
}

/** Returns whether a message has reasoning, which its provider may require later. */
export function carriesReasoning(message: BaseMessage): boolean {
  return arrayContent(message).some(isReasoningBlock);
}

export function isReasoningBlock({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === "thinking" || type === "redacted_thinking" || type === "reasoning";
}

/** Returns the distinct ids of a message's tool calls. */
export function callIds(message: BaseMessage): readonly string[] {
  if (message.getType() !== "ai") return [];
  const { tool_calls: valid = [], invalid_tool_calls: invalid = [] } = message as AIMessage;
  const blocks = arrayContent(message).filter(({ type }) => type === "tool_use");
  const ids = [...valid, ...invalid, ...blocks].map(({ id }) => id);
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}
