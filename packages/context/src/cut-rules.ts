import type { BaseMessage } from "@langchain/core/messages";
import { contentBlocks } from "./message-text.js";
import { isAi, isToolResult, toolCalls } from "./tool-calls.js";

/** Messages `start` to `end` (both included) that a provider wants together: no cut inside. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A provider rule: says which messages must not be parted. Pure and O(messages). */
export interface CutRule {
  readonly name: string;
  readonly spans: (messages: readonly BaseMessage[]) => readonly Span[];
}

/**
 * A call and all its results stay together, late and interleaved results included.
 * A repeated call id belongs to the newest message that used it. A call still waiting for its result in the last
 * turn reaches to the end of the list: the result has yet to come.
 */
export const toolCallPairs: CutRule = {
  name: "tool-call-pairs",
  spans(messages) {
    const owner = new Map<string, number>();
    const last = new Map<number, number>();
    messages.forEach((message, index) => {
      for (const { id } of toolCalls(message)) if (id !== undefined) owner.set(id, index);
      if (!isToolResult(message)) return;
      const start = owner.get(message.tool_call_id);
      if (start !== undefined) last.set(start, index);
    });
    const newest = messages.findLastIndex((message) => isAi(message));
    if (newest >= 0 && hasPendingCall(messages, newest)) last.set(newest, messages.length);
    return [...last].map(([start, end]) => ({ start, end }));
  },
};

/**
 * Reasoning stays with its tool loop: a provider that signs reasoning refuses a loop whose first message came
 * with a thinking block that is gone. So there is no cut before a message without reasoning while an earlier
 * message of the same loop has some.
 */
export const reasoningLoops: CutRule = {
  name: "reasoning-loops",
  spans(messages) {
    const spans: Span[] = [];
    let thinking = -1;
    messages.forEach((message, index) => {
      if (message.getType() === "human") thinking = -1;
      if (!isAi(message)) return;
      if (hasReasoning(message)) thinking = index;
      else if (thinking >= 0) spans.push({ start: thinking, end: index });
    });
    return spans;
  },
};

/** Every rule that holds for some provider. All of them apply always: a thread may change its provider. */
export const cutRules: readonly CutRule[] = [toolCallPairs, reasoningLoops];

function hasPendingCall(messages: readonly BaseMessage[], index: number): boolean {
  const message = messages[index];
  if (message === undefined) return false;
  const rest = messages.slice(index + 1);
  // Once the user has spoken again the host has given the call up.
  if (rest.some((later) => later.getType() === "human")) return false;
  const answered = new Set(rest.filter(isToolResult).map((result) => result.tool_call_id));
  return toolCalls(message).some(({ id }) => id !== undefined && !answered.has(id));
}

function hasReasoning(message: BaseMessage): boolean {
  return contentBlocks(message).some((block) =>
    /^(thinking|redacted_thinking|reasoning)/.test(String(block["type"])),
  );
}
