import type { BaseMessage } from "@langchain/core/messages";
import { carriedIds, foldOf, foldsIn } from "../folds/fold.js";
import { isNativeCompaction } from "../messages/provider/native-compaction.js";
import { hasBoundReasoning, hasReasoningContent } from "../messages/provider/reasoning.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";

/** Messages `start` to `end` (both included) that must stay together: no cut inside. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A rule that returns the spans of messages that must not be separated. Pure and O(messages). */
export interface CutRule {
  readonly name: string;
  readonly spans: (messages: readonly BaseMessage[]) => readonly Span[];
}

/**
 * Keeps a call and all its results together, including late and interleaved results.
 * A repeated call id belongs to the newest message that uses it. The span of a call without a result in the last turn
 * extends to the end of the list, because its result is still to come.
 */
export const toolCallPairs: CutRule = {
  name: "tool-call-pairs",
  spans(messages) {
    const owner = new Map<string, number>();
    /** By the index of a call, the index of its last result; 0 where it has none. */
    const last = new Uint32Array(messages.length);
    messages.forEach((message, index) => {
      for (const { id } of toolCalls(message)) if (id !== undefined) owner.set(id, index);
      if (!isToolResult(message)) return;
      const start = owner.get(message.tool_call_id);
      if (start !== undefined) last[start] = index;
    });
    const newest = messages.findLastIndex((message) => isAi(message));
    if (newest >= 0 && hasPendingCall(messages, newest)) last[newest] = messages.length;
    const spans: Span[] = [];
    for (const [start, end] of last.entries()) if (end > 0) spans.push({ start, end });
    return spans;
  },
};

/**
 * Keeps reasoning with its tool loop: a provider that signs reasoning refuses a loop whose first thinking block is
 * missing. Forbids a cut before a message without reasoning when an earlier message of the same loop has some.
 * Removed stale reasoning counts too, so that the cut points do not depend on earlier rewrites, except before reasoning of a
 * model that does not bind it: such a model requires reasoning at the start of its loop. A provider's compaction starts a new
 * loop.
 */
const reasoningLoops: CutRule = {
  name: "reasoning-loops",
  spans(messages) {
    const spans: Span[] = [];
    const begin = { start: -1, opening: -1, removed: -1 };
    let loop = begin;
    messages.forEach((message, index) => {
      if (message.getType() === "human" || isNativeCompaction(message)) loop = begin;
      if (!isAi(message)) return;
      const { start, opening, removed } = loop;
      if (hasReasoningContent(message)) {
        if (removed >= 0 && !hasBoundReasoning(message)) spans.push({ start: opening, end: removed });
        loop = { start: index, opening: index, removed: -1 };
      } else if (foldOf(message)?.kind === "reasoning") {
        loop = { start: index, opening, removed: opening < 0 ? -1 : index };
      } else if (start >= 0) spans.push({ start, end: index });
    });
    return spans;
  },
};

/**
 * Keeps a summary with the messages carried over it. A later summary of only some of them would duplicate messages of
 * the first summary's record, and unfolding one of the two would show them twice.
 */
const carriedMessages: CutRule = {
  name: "carried-messages",
  spans(messages) {
    const spans: Span[] = [];
    if (foldsIn(messages).every(({ value }) => value.carried === undefined)) return spans;
    const indexById = new Map<string, number>();
    messages.forEach((message, end) => {
      const fold = foldOf(message);
      const starts = fold === undefined ? [] : carriedIds(fold).flatMap((id) => indexById.get(id) ?? []);
      const start = starts.reduce((first, next) => Math.min(first, next), end);
      if (start < end) spans.push({ start, end });
      if (message.id !== undefined && !indexById.has(message.id)) indexById.set(message.id, end);
    });
    return spans;
  },
};

/** The rules of all providers. All of them always apply, because a thread can change its provider. */
const cutRules: readonly CutRule[] = [toolCallPairs, reasoningLoops];

/** The rules for the cut of a summary or a trim: the provider rules and {@link carriedMessages}. */
export const foldRules: readonly CutRule[] = [...cutRules, carriedMessages];

function hasPendingCall(messages: readonly BaseMessage[], index: number): boolean {
  const message = messages[index];
  if (message === undefined) return false;
  const rest = messages.slice(index + 1);
  // A later user message means that the host has abandoned the call.
  if (rest.some((later) => later.getType() === "human")) return false;
  const answered = new Set(rest.filter(isToolResult).map((result) => result.tool_call_id));
  return toolCalls(message).some(({ id }) => id !== undefined && !answered.has(id));
}

/**
 * Returns the legal cut points in ascending order: indices before which the list can be cut. Always contains 0;
 * contains the length only when no call waits for its result.
 *
 * Pure, O(messages). A cut point is legal when every rule allows it.
 */
export function cutPoints(
  messages: readonly BaseMessage[],
  rules: readonly CutRule[] = cutRules,
): readonly number[] {
  // Difference array of the forbidden indices: +1 after the start of a span, -1 after its end.
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
