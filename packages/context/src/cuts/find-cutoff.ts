import type { BaseMessage } from "@langchain/core/messages";
import { coversOthers } from "../folds/fold.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { keepTokens, type Keep } from "../options.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { cutPoints, foldRules } from "./cut-rules.js";

export interface FindCutoffOptions {
  readonly keep: Keep;
  readonly tokenCounter: TokenCounter;
  readonly contextWindow?: number | undefined;
}

/**
 * Returns the index of the first message to keep: a legal cut point, 0 when nothing can be folded.
 *
 * A keep in messages or turns keeps at least that many. A keep in tokens or a fraction keeps at most that many, but never
 * less than what the model has not seen.
 */
export function findCutoff(
  messages: readonly BaseMessage[],
  { keep, tokenCounter, contextWindow }: FindCutoffOptions,
): number {
  const unseen = unseenStart(messages);
  const legal = cutPoints(messages, foldRules).filter((index) => index <= unseen);
  const last = legal.at(-1) ?? 0;
  const maxTokens = keepTokens(keep, contextWindow);
  if (maxTokens !== undefined) {
    const start = budgetStart(messages, maxTokens, tokenCounter);
    return legal.find((index) => index >= start) ?? last;
  }
  const start =
    keep.turns === undefined ? messages.length - (keep.messages ?? 0) : turnStart(messages, keep.turns);
  return legal.findLast((index) => index <= start) ?? 0;
}

/** Index of the message with which the newest `turns` messages of the model begin. */
function turnStart(messages: readonly BaseMessage[], turns: number): number {
  const replies = messages.flatMap((message, index) => (isAi(message) ? [index] : []));
  return turns >= 1 ? (replies.at(-Math.floor(turns)) ?? 0) : messages.length;
}

/** Returns the index from which on the messages have at most `maxTokens`. */
function budgetStart(
  messages: readonly BaseMessage[],
  maxTokens: number,
  tokenCounter: TokenCounter,
): number {
  let start = messages.length;
  for (let tokens = 0; start > 0; start--) {
    tokens += tokenCounter(messages.slice(start - 1, start));
    if (tokens > maxTokens) break;
  }
  return start;
}

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
