import type { BaseMessage } from "@langchain/core/messages";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodSchema } from "@langchain/core/utils/types";
import { sumOnce } from "../collect-once.js";
import { isNativeBlock, nativeTexts } from "../messages/provider/native-compaction.js";
import { contentBlocks, isMediaBlock, type Block } from "../messages/text.js";
import { isCallBlock, toolCalls } from "../messages/tool-calls.js";

/** Tokens of an image or a file: a typical price of the large providers for a screen-sized image. */
export const mediaTokens = 1_600;
/** Tokens of the role and the separators around one message. */
const messageOverhead = 4;

/**
 * Builds a counter of whole prompts from a counter of texts.
 *
 * Counts each message object once and caches the count in a WeakMap, so that a step counts only new messages.
 */
export function tokenCounterFrom(countText: (text: string) => number): TokenCounter {
  const counts = new WeakMap<BaseMessage, number>();
  function countMessage(message: BaseMessage): number {
    const cached = counts.get(message);
    if (cached !== undefined) return cached;
    const { texts, media } = messageWeight(message);
    let tokens = messageOverhead;
    for (const text of texts) tokens += countText(text);
    tokens += media * mediaTokens;
    counts.set(message, tokens);
    return tokens;
  }
  const countMessages = sumOnce(countMessage);
  return function countPrompt(messages, { systemPrompt, tools = [] }: PromptParts = {}) {
    let tokens = systemPrompt === undefined ? 0 : countText(systemPrompt) + messageOverhead;
    for (const tool of tools) tokens += countText(toolSchemaText(tool)) + messageOverhead;
    return tokens + countMessages(messages);
  };
}

/** The parts of a prompt besides its messages. */
export interface PromptParts {
  /** System prompt that is not part of the messages. */
  readonly systemPrompt?: string;
  /** Tools bound to the model: any objects with a name, a description and a schema. */
  readonly tools?: readonly unknown[];
}

/** Returns the number of tokens of a prompt. Pure and additive: the count of a list is the sum of its messages. */
export type TokenCounter = (messages: readonly BaseMessage[], parts?: PromptParts) => number;

/** The billable parts of a message: its texts and the number of its media blocks. */
export interface MessageWeight {
  readonly texts: readonly string[];
  readonly media: number;
}

/** Fields of a content block that hold text, over all providers. */
const textFields = ["text", "thinking", "reasoning", "data", "refusal"] as const;

/**
 * Returns the texts and media of a message that a provider bills: content, reasoning, calls with their arguments.
 *
 * Counts a call once when it is both in `tool_calls` and in a content block, as providers do.
 */
export function messageWeight(message: BaseMessage): MessageWeight {
  const texts: string[] = [];
  let media = 0;
  const { content } = message;
  // Hot path: most messages are one text.
  if (typeof content === "string" && content !== "") texts.push(content);
  for (const block of typeof content === "string" ? [] : contentBlocks(message)) {
    if (isCallBlock(block) || isNativeBlock(block)) continue;
    if (isMediaBlock(block)) media++;
    else texts.push(blockText(block));
  }
  texts.push(...nativeTexts(message));
  for (const call of toolCalls(message)) texts.push(call.name, JSON.stringify(call.args));
  if (message.name !== undefined) texts.push(message.name);
  const reasoning = message.additional_kwargs?.["reasoning_content"];
  if (typeof reasoning === "string") texts.push(reasoning);
  return { texts, media };
}

function blockText(block: Block): string {
  const direct = textFields.map((field) => block[field]).filter((value) => typeof value === "string");
  return direct.length > 0 ? direct.join("\n") : JSON.stringify(block);
}

/** Returns the text that a provider receives for a tool: its name, description and JSON schema. Never throws. */
export function toolSchemaText(tool: unknown): string {
  if (typeof tool !== "object" || tool === null) return String(tool);
  const { name, description, schema } = tool as { name?: unknown; description?: unknown; schema?: unknown };
  if (typeof name !== "string") return JSON.stringify(tool);
  return JSON.stringify({ name, description, parameters: jsonSchema(schema) });
}

function jsonSchema(schema: unknown): unknown {
  if (!isInteropZodSchema(schema)) return schema;
  try {
    return toJsonSchema(schema);
  } catch {
    return {}; // Counting does not validate: the model call reports a schema that has no JSON form.
  }
}
