import { type BaseMessage } from "@langchain/core/messages";
import { type WireTool } from "./wire-tool.js";
import { countTokens as count } from "gpt-tokenizer/encoding/o200k_base";

/** What a prompt is made of, in tokens. */
export interface PromptParts {
  /** System prompt and tool schemas. */
  readonly system: number;
  readonly user: number;
  readonly summaries: number;
  /** Tool results, whole or as previews. */
  readonly results: number;
  readonly assistant: number;
  readonly total: number;
}

/** The words that every summary of the context manager starts with. */
export const summaryOpening = "[Summary of earlier messages";

/** Tokens that a chat format adds around a message. */
const perMessage = 4;
/** Tokens that open the reply. */
const replyPriming = 3;
/** Counts are kept for texts up to this many characters, and for this many texts. */
const memo = { characters: 24_000, entries: 1_000, counts: new Map<string, number>() };

/** Returns the number of o200k tokens in a text. Text that looks like a special token counts as plain text. */
export function countTokens(text: string): number {
  if (text.length > memo.characters) return count(text, plain);
  const known = memo.counts.get(text);
  if (known !== undefined) return known;
  if (memo.counts.size >= memo.entries) memo.counts.clear();
  const tokens = count(text, plain);
  memo.counts.set(text, tokens);
  return tokens;
}

const plain = { disallowedSpecial: new Set<string>() };

/** Returns the tokens of a prompt by part: the messages with the tool schemas that go along. */
export function countPrompt(messages: readonly BaseMessage[], tools: readonly WireTool[] = []): PromptParts {
  const parts = { system: 0, user: 0, summaries: 0, results: 0, assistant: 0 };
  for (const tool of tools) parts.system += countTokens(JSON.stringify(tool));
  for (const message of messages) parts[partOf(message)] += countMessage(message);
  const sum = parts.system + parts.user + parts.summaries + parts.results + parts.assistant;
  return { ...parts, total: sum + replyPriming };
}

/** Returns the tokens of one message: its text, its tool calls and the frame around it. */
export function countMessage(message: BaseMessage): number {
  const text = typeof message.content === "string" ? message.content : JSON.stringify(message.content);
  let tokens = perMessage + countTokens(text);
  if ("tool_calls" in message && Array.isArray(message.tool_calls))
    for (const { name, args } of message.tool_calls as { name: string; args: unknown }[])
      tokens += perMessage + countTokens(name) + countTokens(JSON.stringify(args));
  return tokens;
}

function partOf(message: BaseMessage): Exclude<keyof PromptParts, "total"> {
  if (message.text.startsWith(summaryOpening)) return "summaries";
  switch (message.type) {
    case "system":
      return "system";
    case "tool":
      return "results";
    case "ai":
      return "assistant";
    default:
      return "user";
  }
}
