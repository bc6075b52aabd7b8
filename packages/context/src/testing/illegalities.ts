import type { BaseMessage } from "@langchain/core/messages";
import { legality } from "./legality.js";

/**
 * Returns the provider rules that a list of messages breaks, one sentence each, naming message and call ids.
 *
 * Pure. The sentences of `legality`, for tests that compare lists of them.
 */
export function illegalities(messages: readonly BaseMessage[]): readonly string[] {
  return legality(messages).map(({ message }) => message);
}
