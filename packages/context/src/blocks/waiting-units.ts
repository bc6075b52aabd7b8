import { isToolResult, toolCalls } from "../tool-calls.js";
import type { FoldUnit } from "./fold-units.js";

/**
 * Returns the interactions with a call whose result may still come. Pure.
 *
 * Folded now, the call would be gone when its result arrives late. Once the user has spoken again the host has given
 * the call up.
 */
export function waitingUnits(units: readonly FoldUnit[]): ReadonlySet<FoldUnit> {
  const waiting = new Set<FoldUnit>();
  const answered = new Set<string>();
  for (const unit of units.toReversed()) {
    if (unit.kind === "words" && unit.messages.some((message) => message.getType() === "human")) break;
    for (const message of unit.messages) if (isToolResult(message)) answered.add(message.tool_call_id);
    const calls = unit.kind === "raw" ? unit.messages.flatMap(toolCalls) : [];
    if (calls.some(({ id }) => id !== undefined && !answered.has(id))) waiting.add(unit);
  }
  return waiting;
}
