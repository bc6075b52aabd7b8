import type { BaseMessage } from "@langchain/core/messages";
import { offloadLargeToolResults, offloadLargeUserMessages, type Rewrite } from "@palimpsest/context";
import type { ResolvedOptions } from "../resolve-options.js";
import type { CompactionState } from "../state/compaction-state.js";
import { joinRewrites } from "./join-rewrites.js";

/**
 * Returns the context with what is too large in it moved to the archive: results, and pasted user messages. Pure.
 *
 * What somebody has unfolded is no arrival: it stays until a compaction is due.
 */
export function offloadArrivals(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state?: CompactionState,
): Rewrite {
  const opened = state?.unfoldedAt;
  const start = opened === undefined ? 0 : messages.findLastIndex(({ id }) => id === opened) + 1;
  const results = offloadLargeToolResults(messages, { ...options, start });
  return joinRewrites(results, offloadLargeUserMessages(results.messages, { ...options, start }));
}
