import type { BaseMessage } from "@langchain/core/messages";
import {
  cutPoints,
  findCutoff,
  planSummary,
  unseenStart,
  type SummaryPlan,
  type TokenCounter,
} from "@palimpsest/context";
import { asKeeps, foldRules, isKeptWhole, leadingSystems } from "@palimpsest/context/internal";
import { triggerMessages, type ResolvedOptions } from "../options/resolve-options.js";

/**
 * Returns the index of the first message that `keep` leaves alone. A `keep` in tokens counts those of the provider.
 *
 * A trigger in messages is met by many short ones. Under such a trigger, a keep in tokens leaves at most half of the messages
 * that a compaction may leave; a keep in messages or turns leaves at most what fits below the trigger beside the system prompt,
 * the first message and the summary.
 */
export function cutoffOf(messages: readonly BaseMessage[], options: ResolvedOptions, tokenRatio = 1): number {
  const { keep, maxMessages, trigger } = options;
  const cut = findCutoff(messages, { ...options, tokenCounter: scaled(options, tokenRatio) });
  if (maxMessages === Infinity) return cut;
  const isInTokens = asKeeps(keep).every(({ tokens, fraction }) => (tokens ?? fraction) !== undefined);
  const below = triggerMessages(trigger) - 1 - leadingSystems(messages) - 2;
  const room = isInTokens ? Math.ceil(maxMessages / 2) : Math.max(1, below);
  // Each message counts as one token: a keep in tokens is a maximum, one in messages a minimum.
  return Math.max(
    cut,
    findCutoff(messages, { keep: { tokens: room }, tokenCounter: ({ length }) => length }),
  );
}

/**
 * Returns true where `keep` leaves all messages alone, so that {@link cutoffOf} is 0: one count, which the measure of the step
 * has made already. Pure.
 */
export function keepsAll(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  tokenRatio: number,
): boolean {
  if (options.maxMessages !== Infinity) return false;
  return isKeptWhole(messages, { ...options, tokenCounter: scaled(options, tokenRatio) });
}

function scaled({ tokenCounter }: ResolvedOptions, tokenRatio: number): TokenCounter {
  return (list, parts) => tokenRatio * tokenCounter(list, parts);
}

/** Returns the plan that folds everything that the model has seen. */
export function widestPlan(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
): SummaryPlan | undefined {
  return planSummary(messages, { ...options, cut: lastCut(messages) });
}

/** Index of the last legal cut point before the messages that the model has not seen. */
export function lastCut(messages: readonly BaseMessage[]): number {
  const unseen = unseenStart(messages);
  return cutPoints(messages, foldRules).findLast((point) => point <= unseen) ?? 0;
}
