import type { BaseMessage } from "@langchain/core/messages";
import { coversOthers } from "./covers-others.js";
import { isAi, isToolResult } from "./tool-calls.js";

/**
 * Returns the index of the first message that the model has not been shown: nothing from here on may be folded
 * into a summary.
 *
 * Unseen is what came after the model's last message. When tool results wait there, the message that called them
 * belongs to them. A stand-in for several messages speaks for that message where it has been folded itself: only what
 * was seen is ever folded, so all that the stand-in covers was, and what was carried before it.
 */
export function unseenStart(messages: readonly BaseMessage[]): number {
  const newest = messages.findLastIndex((message) => isAi(message) || coversOthers(message));
  const message = messages[newest];
  if (message === undefined) return 0;
  const waiting = !coversOthers(message) && messages.slice(newest + 1).some((one) => isToolResult(one));
  return waiting ? newest : newest + 1;
}
