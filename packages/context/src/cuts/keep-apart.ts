import type { BaseMessage } from "@langchain/core/messages";
import { coversOthers } from "../folds/fold.js";
import { isAi, isToolResult, toolCalls } from "../messages/tool-calls.js";
import { cutPoints } from "./cut-rules.js";

/**
 * Returns the indices to keep before `cut`, and with them what stands between two replies that would otherwise meet.
 *
 * Gemini refuses a turn that calls tools right behind another turn of the model. The nearest message that parts the two
 * is kept, with all that must not be parted from it. System messages stay anyway. Pure, O(messages).
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
      next < cut && meet(messages, index, next) ? parting(messages, segments, [index, next]) : [];
    for (const one of segment) all.add(one);
    // With something kept between the two, the walk goes back to the later one and on from there.
    if (segment.length > 0) index = next;
    else next = index;
  }
  return all;
}

/** True for a call turn that would stand behind another turn of the model. */
function meet(messages: readonly BaseMessage[], before: number, index: number): boolean {
  const [first, second] = [messages[before], messages[index]];
  if (first === undefined || second === undefined) return false;
  return isAi(first) && isAi(second) && toolCalls(second).length > 0;
}

/** Returns the segment nearest to the later of two messages that a call may stand behind; empty when there is none. */
function parting(
  messages: readonly BaseMessage[],
  segments: readonly (readonly number[])[],
  [before, index]: readonly [number, number],
): readonly number[] {
  for (let between = index - 1; between > before; between--) {
    const segment = segments[between] ?? [];
    const message = messages[between];
    const first = messages[segment[0] ?? between];
    if (message === undefined || first === undefined || isAi(message) || coversOthers(message)) continue;
    // A result without its call parts nothing.
    if (!isToolResult(message) || isAi(first)) return segment;
  }
  return [];
}

/** Returns index -> indices of the messages that must not be parted from it, itself included. */
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
