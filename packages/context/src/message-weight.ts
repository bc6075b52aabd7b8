import type { BaseMessage } from "@langchain/core/messages";
import { contentBlocks, isMediaBlock, type Block } from "./message-text.js";
import { isCallBlock, toolCalls } from "./tool-calls.js";

/** What has to be counted of one message: its pieces of text, and how many pictures or other media it holds. */
export interface MessageWeight {
  readonly texts: readonly string[];
  readonly media: number;
}

/** Fields of a block that a model reads as text, whatever the provider calls them. */
const textFields = ["text", "thinking", "reasoning", "data", "refusal"] as const;

/**
 * Returns the texts and media of a message that a provider bills: content, reasoning, calls with their arguments.
 *
 * A call that stands both in `tool_calls` and in a content block is counted once, like providers do.
 */
export function messageWeight(message: BaseMessage): MessageWeight {
  const texts: string[] = [];
  let media = 0;
  for (const block of contentBlocks(message)) {
    if (isCallBlock(block)) continue;
    if (isMediaBlock(block)) media++;
    else texts.push(blockText(block));
  }
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
