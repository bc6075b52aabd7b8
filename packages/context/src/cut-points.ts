import type { BaseMessage } from "@langchain/core/messages";
import { cutRules, type CutRule } from "./cut-rules.js";

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
