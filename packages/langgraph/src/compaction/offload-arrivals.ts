import type { BaseMessage } from "@langchain/core/messages";
import {
  offloadLargeToolResults,
  offloadLargeUserMessages,
  unseenStart,
  type Rewrite,
} from "@palimpsest/context";
import type { CompactionState } from "../edge/context-state.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { compactionDue } from "./compaction-due.js";
import { joinRewrites } from "./ladder.js";

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
  const start = startOf(messages, options, state);
  const results = offloadLargeToolResults(messages, { ...options, start });
  return joinRewrites(results, offloadLargeUserMessages(results.messages, { ...options, start }));
}

/**
 * Returns the index of the first message that may be an arrival.
 *
 * A graph without the `compaction` channel does not tell what was unfolded. There, what the model was shown whole is
 * no arrival, however it came to stand in the context.
 */
function startOf(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): number {
  if (state === undefined) {
    return compactionDue(messages, options, undefined).reason === undefined ? unseenStart(messages) : 0;
  }
  const { unfoldedAt } = state;
  return unfoldedAt === undefined ? 0 : messages.findLastIndex(({ id }) => id === unfoldedAt) + 1;
}
