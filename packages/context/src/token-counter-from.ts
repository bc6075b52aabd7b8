import type { BaseMessage } from "@langchain/core/messages";
import { messageWeight } from "./message-weight.js";
import { toolSchemaText } from "./tool-schema-text.js";
import type { PromptParts, TokenCounter } from "./token-counter.js";

/** Tokens of an image or a file: between what the large providers charge for a screen-sized picture. */
export const mediaTokens = 1_600;
/** Tokens of the role and the separators around one message. */
const messageOverhead = 4;

/**
 * Returns a counter of whole prompts made from a counter of texts.
 *
 * Each message object is counted once: the count is remembered with the object, so a step costs what it adds.
 */
export function tokenCounterFrom(countText: (text: string) => number): TokenCounter {
  const known = new WeakMap<BaseMessage, number>();
  function countMessage(message: BaseMessage): number {
    const seen = known.get(message);
    if (seen !== undefined) return seen;
    const { texts, media } = messageWeight(message);
    const tokens = texts.reduce((sum, text) => sum + countText(text), messageOverhead) + media * mediaTokens;
    known.set(message, tokens);
    return tokens;
  }
  return function countPrompt(messages, { systemPrompt, tools = [] }: PromptParts = {}) {
    let tokens = systemPrompt === undefined ? 0 : countText(systemPrompt) + messageOverhead;
    for (const tool of tools) tokens += countText(toolSchemaText(tool)) + messageOverhead;
    for (const message of messages) tokens += countMessage(message);
    return tokens;
  };
}
