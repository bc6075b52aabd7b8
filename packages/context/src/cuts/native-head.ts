import type { BaseMessage } from "@langchain/core/messages";
import { nativeStart } from "../messages/provider/native-compaction.js";
import { cutPoints } from "./cut-rules.js";

/**
 * Returns the number of messages at the start that no summary folds: those up to the newest compaction by the provider,
 * including the results of its calls. 0 without one. Pure, O(messages).
 */
export function nativeHead(messages: readonly BaseMessage[]): number {
  const start = nativeStart(messages);
  if (start < 0) return 0;
  return cutPoints(messages).find((point) => point > start) ?? messages.length;
}
