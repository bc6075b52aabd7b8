import type { BaseMessage } from "@langchain/core/messages";
import { sumOnce } from "../collect-once.js";
import { isNativeBlock, nativeTexts } from "../messages/provider/native-compaction.js";
import { soundMessage } from "../messages/sound/sound-message.js";
import { blockText, contentBlocks, isMediaBlock, type Block } from "../messages/text.js";
import { isCallBlock, soundCalls } from "../messages/tool-calls.js";
import { mediaTokens } from "./media-tokens.js";
import { toolSchemaText } from "./tool-schema-text.js";

/** Tokens of the role and the separators around one message. */
const messageOverhead = 4;
/**
 * Tokens of a call beside its name and arguments, what encloses its result included. Providers do not publish it: recorded
 * prompts of Claude show 90 to 130, and those of models that write a call as text about 10.
 */
const callOverhead = 40;

/**
 * Builds a counter of whole prompts from a counter of texts.
 *
 * Counts each message and each tool once and caches the count in a WeakMap, so that a step counts only new messages. With
 * `maxPerCharacter`, the most tokens that a text has for each of its UTF-16 units, most steps count no old message at all.
 */
export function tokenCounterFrom(
  countText: (text: string) => number,
  maxPerCharacter?: number,
): TokenCounter {
  const counts = new WeakMap<BaseMessage, number>();
  function countMessage(message: BaseMessage): number {
    const cached = counts.get(message);
    if (cached !== undefined) return cached;
    const tokens = weigh(message, countText);
    counts.set(message, tokens);
    return tokens;
  }
  const toolCounts = new WeakMap<object, { readonly text: string; readonly tokens: number }>();
  function countTool(tool: unknown): number {
    const text = toolSchemaText(tool);
    if (typeof tool !== "object" || tool === null) return countText(text);
    const known = toolCounts.get(tool);
    if (known?.text === text) return known.tokens;
    const tokens = countText(text);
    toolCounts.set(tool, { text, tokens });
    return tokens;
  }
  const countMessages = sumOnce(countMessage);
  function countPrompt(messages: readonly BaseMessage[], { systemPrompt, tools = [] }: PromptParts = {}) {
    let tokens = systemPrompt === undefined ? 0 : countText(systemPrompt) + messageOverhead;
    for (const tool of tools) tokens += countTool(tool) + messageOverhead;
    return tokens + countMessages(messages);
  }
  return Object.assign(countPrompt, maxPerCharacter === undefined ? {} : { maxPerCharacter });
}

/** The parts of a prompt besides its messages. */
export interface PromptParts {
  /** System prompt that is not part of the messages. */
  readonly systemPrompt?: string;
  /** Tools bound to the model: any objects with a name, a description and a schema. */
  readonly tools?: readonly unknown[];
}

/** Returns the number of tokens of a prompt. Pure and additive: the count of a list is the sum of its messages. */
export interface TokenCounter {
  (messages: readonly BaseMessage[], parts?: PromptParts): number;
  /** The most tokens that a text has for each of its UTF-16 units, where that is known. */
  readonly maxPerCharacter?: number;
}

/** Fields of a content block that hold text, over all providers. */
const textFields = ["text", "thinking", "reasoning", "data", "refusal"] as const;

/**
 * Adds up what a provider bills of a message: its texts (content, reasoning, calls with their arguments) by `countText`, its
 * media, and the overhead of a message and of a call.
 *
 * Counts a call once when it is both in `tool_calls` and in a content block, as providers do. Hot path: makes no lists.
 */
export function weigh(original: BaseMessage, countText: (text: string) => number): number {
  const message = soundMessage(original);
  let tokens = messageOverhead;
  const { content, name } = message;
  // Most messages are one text.
  if (typeof content === "string") {
    if (content !== "") tokens += countText(content);
  } else {
    for (const block of contentBlocks(message)) {
      if (isCallBlock(block) || isNativeBlock(block)) continue;
      tokens += isMediaBlock(block) ? mediaTokens(block, countText) : countText(billedText(block));
    }
  }
  for (const text of nativeTexts(message)) tokens += countText(text);
  for (const call of soundCalls(message))
    tokens += callOverhead + countText(call.name) + countText(JSON.stringify(call.args));
  if (name !== undefined) tokens += countText(name);
  const reasoning = message.additional_kwargs?.["reasoning_content"];
  return typeof reasoning === "string" ? tokens + countText(reasoning) : tokens;
}

function billedText(block: Block): string {
  const direct = textFields.map((field) => block[field]).filter((value) => typeof value === "string");
  return direct.length > 0 ? direct.join("\n") : (blockText(block) ?? JSON.stringify(block));
}
