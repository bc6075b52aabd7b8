import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "../folds/fold.js";
import { hasReasoningContent } from "../messages/reasoning.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";

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
 * message of the same loop has some. Reasoning that went stale and left counts: where a list may be cut does not depend on
 * how often it was rewritten.
 */
export const reasoningLoops: CutRule = {
  name: "reasoning-loops",
  spans(messages) {
    const spans: Span[] = [];
    let thinking = -1;
    messages.forEach((message, index) => {
      if (message.getType() === "human") thinking = -1;
      if (!isAi(message)) return;
      const hasThought = hasReasoningContent(message) || foldOf(message)?.kind === "reasoning";
      if (hasThought) thinking = index;
      else if (thinking >= 0) spans.push({ start: thinking, end: index });
    });
    return spans;
  },
};

/**
 * A summary stays with the messages that were carried over it: a later summary of some of them alone would hold what
 * the first one's record holds too, and opening only one of the two would show it twice.
 */
export const carriedMessages: CutRule = {
  name: "carried-messages",
  spans(messages) {
    const spans: Span[] = [];
    if (!messages.some((message) => foldOf(message)?.carried !== undefined)) return spans;
    const first = new Map<string, number>();
    messages.forEach((message, end) => {
      const starts = (foldOf(message)?.carried ?? []).flatMap((id) => first.get(id) ?? []);
      const start = starts.reduce((least, one) => Math.min(least, one), end);
      if (start < end) spans.push({ start, end });
      if (message.id !== undefined && !first.has(message.id)) first.set(message.id, end);
    });
    return spans;
  },
};

/** Every rule that holds for some provider. All of them apply always: a thread may change its provider. */
export const cutRules: readonly CutRule[] = [toolCallPairs, reasoningLoops];

/** The rules by which a summary or a trim is cut: those of the providers, and one of ours. */
export const foldRules: readonly CutRule[] = [...cutRules, carriedMessages];

function hasPendingCall(messages: readonly BaseMessage[], index: number): boolean {
  const message = messages[index];
  if (message === undefined) return false;
  const rest = messages.slice(index + 1);
  // Once the user has spoken again the host has given the call up.
  if (rest.some((later) => later.getType() === "human")) return false;
  const answered = new Set(rest.filter(isToolResult).map((result) => result.tool_call_id));
  return toolCalls(message).some(({ id }) => id !== undefined && !answered.has(id));
}

/**
 * Returns the indices before which a list may be cut, ascending; 0 is always one, the length only when no call
 * is waiting for its result.
 *
 * Pure, O(messages): the intersection of what each provider rule allows.
 */
export function cutPoints(
  messages: readonly BaseMessage[],
  rules: readonly CutRule[] = cutRules,
): readonly number[] {
  // Spans as a difference array: +1 where one begins to forbid, -1 behind its end.
  const change = new Int32Array(messages.length + 2);
  for (const rule of rules) {
    for (const { start, end } of rule.spans(messages)) {
      change[start + 1] = (change[start + 1] ?? 0) + 1;
      change[end + 1] = (change[end + 1] ?? 0) - 1;
    }
  }
  const legal: number[] = [];
  let depth = 0;
  for (let index = 0; index <= messages.length; index++) {
    depth += change[index] ?? 0;
    if (depth === 0) legal.push(index);
  }
  return legal;
}
