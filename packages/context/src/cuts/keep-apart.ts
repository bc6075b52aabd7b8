import type { BaseMessage } from "@langchain/core/messages";
import { coversOthers } from "../folds/fold.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { cutPoints } from "./cut-rules.js";

/**
 * Returns the indices to keep before `cut`, extended by the messages that must separate adjacent AI messages.
 *
 * Gemini refuses a turn with tool calls directly after another AI turn. Between two such turns, the nearest message
 * that separates them is kept, together with its segment. System messages are always kept. Pure, O(messages).
 */
export function keepApart(
  messages: readonly BaseMessage[],
  cut: number,
  kept: ReadonlySet<number>,
): ReadonlySet<number> {
  const all = new Set(kept);
  const segments = segmentsBefore(messages, cut);
  let next = cut;
  for (let index = cut - 1; index >= 0; index--) {
    if (!all.has(index) && messages[index]?.getType() !== "system") continue;
    const segment =
      next < cut && areAdjacentTurns(messages, index, next)
        ? separatingSegment(messages, segments, [index, next])
        : [];
    for (const member of segment) all.add(member);
    // The new segment lies between the two: check again from the later one.
    if (segment.length > 0) index = next;
    else next = index;
  }
  return all;
}

/**
 * Returns true when the message at `start` begins the context and the first message that is kept behind it is a call.
 *
 * Gemini refuses a context that begins with a call. A host may have removed the user's messages, so that only a stand-in is
 * left before the call: it has to stay where it is. Pure.
 */
export function opensContext(
  messages: readonly BaseMessage[],
  start: number,
  kept: readonly number[],
): boolean {
  const first = messages[start];
  if (first === undefined || isAi(first) || isToolResult(first)) return false;
  if (messages.slice(0, start).some((message) => message.getType() !== "system")) return false;
  const next = messages[Math.min(...kept.filter((index) => messages[index]?.getType() !== "system"))];
  return next !== first && next !== undefined && toolCalls(next).length > 0;
}

/** True when `index` is an AI message with tool calls that would follow the AI message `before` directly. */
function areAdjacentTurns(messages: readonly BaseMessage[], before: number, index: number): boolean {
  const [first, second] = [messages[before], messages[index]];
  if (first === undefined || second === undefined) return false;
  return isAi(first) && isAi(second) && toolCalls(second).length > 0;
}

/** Returns the segment nearest to the later of two messages that can precede a call, or an empty one. */
function separatingSegment(
  messages: readonly BaseMessage[],
  segments: readonly (readonly number[])[],
  [before, index]: readonly [number, number],
): readonly number[] {
  for (let between = index - 1; between > before; between--) {
    const segment = segments[between] ?? [];
    const message = messages[between];
    const first = messages[segment[0] ?? between];
    if (message === undefined || first === undefined || isAi(message) || coversOthers(message)) continue;
    // A result separates two turns only together with its call.
    if (!isToolResult(message) || isAi(first)) return segment;
  }
  return [];
}

/** Returns for each index the indices of the messages that must stay with it, itself included. */
function segmentsBefore(messages: readonly BaseMessage[], cut: number): readonly (readonly number[])[] {
  const points = new Set(cutPoints(messages));
  const segments: number[][] = [];
  for (let index = 0; index < cut; index++) {
    const segment = points.has(index) ? [] : (segments.at(-1) ?? []);
    segment.push(index);
    segments.push(segment);
  }
  return segments;
}
