import type { BaseMessage } from "@langchain/core/messages";
import { isAi, isToolResult } from "./tool-calls.js";

/**
 * Returns the index of the first message that the model has not been shown: nothing from here on may be folded
 * into a summary.
 *
 * Unseen is what came after the model's last message. When tool results wait there, the message that called them
 * belongs to them.
 */
export function unseenStart(messages: readonly BaseMessage[]): number {
  const newest = messages.findLastIndex((message) => isAi(message));
  if (newest < 0) return 0;
  const waiting = messages.slice(newest + 1).some((message) => isToolResult(message));
  return waiting ? newest : newest + 1;
}
