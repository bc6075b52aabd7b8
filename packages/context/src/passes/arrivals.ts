import type { BaseMessage } from "@langchain/core/messages";
import { joinRewrites, type Rewrite } from "../folds/rewrite.js";
import { once } from "../once.js";
import { pinOf, type PinOptions } from "../retention/pin.js";
import { offloadLargeToolResults, type OffloadOptions } from "./offload-large-tool-results.js";
import { offloadLargeUserMessages } from "./offload-large-user-messages.js";

export interface ArrivalOptions extends OffloadOptions, Omit<PinOptions, "tokenCounter"> {
  /** Maximum tokens of a user message. @default no limit */
  readonly maxUserTokens?: number | undefined;
}

/**
 * Returns the context with new results that are too large, and user messages that do not fit, moved to the archive. Pure.
 *
 * Every host calls it, so that one rule says what stays: pinned messages with their whole call, and results of `excludeTools`
 * within `batchTokens`.
 */
export function offloadArrivals(messages: readonly BaseMessage[], options: ArrivalOptions): Rewrite {
  const { maxUserTokens: maxTokens } = options;
  // Hot path: nearly every step has nothing large, and then nobody asks for the pins.
  const pins = once(() => pinOf(messages, options));
  const pin = (message: BaseMessage) => pins()?.(message) === true;
  const results = offloadLargeToolResults(messages, { ...options, pin });
  if (maxTokens === undefined) return results;
  return joinRewrites(results, offloadLargeUserMessages(results.messages, { ...options, maxTokens, pin }));
}
