import type { BaseMessage } from "@langchain/core/messages";
import { isAi, isToolResult } from "@palimpsest/context/internal";
import { textOf } from "./text-of.js";

/** An assistant message with its results, or one other message. */
export interface Chunk {
  readonly index: number;
  readonly messages: readonly BaseMessage[];
  readonly text: string;
  /** Tokens of four characters. */
  readonly tokens: number;
  readonly isStep: boolean;
  readonly isUser: boolean;
}

/** Returns the chunks of messages, numbered from `first`. The messages begin with a chunk, not inside one. */
export function chunksOf(messages: readonly BaseMessage[], first = 0): readonly Chunk[] {
  const groups: BaseMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (isToolResult(message) && last?.[0] !== undefined && isAi(last[0])) last.push(message);
    else groups.push([message]);
  }
  return groups.map((group, index) => chunkOf(group, first + index));
}

function chunkOf(messages: readonly BaseMessage[], index: number): Chunk {
  const text = messages.map(textOf).join("\n");
  const [head] = messages;
  const isStep = head !== undefined && isAi(head);
  return { index, messages, text, tokens: text.length / 4, isStep, isUser: head?.getType() === "human" };
}
