import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints } from "./cut-points.js";
import { foldRules } from "./cut-rules.js";
import { keepTokens, type Keep } from "./keep.js";
import type { TokenCounter } from "./token-counter.js";
import { isAi } from "./tool-calls.js";
import { unseenStart } from "./unseen-start.js";

export interface FindCutoffOptions {
  readonly keep: Keep;
  readonly tokenCounter: TokenCounter;
  readonly contextWindow?: number | undefined;
}

/**
 * Returns the index of the first message to keep: a legal cut point, 0 when nothing can be folded.
 *
 * A keep in messages or turns keeps at least that many; one in tokens or a fraction keeps at most that many, but never
 * less than what the model has not seen. Of several the one that keeps most holds.
 */
export function findCutoff(
  messages: readonly BaseMessage[],
  { keep, tokenCounter, contextWindow }: FindCutoffOptions,
): number {
  const unseen = unseenStart(messages);
  const legal = cutPoints(messages, foldRules).filter((index) => index <= unseen);
  const budget = keepTokens(keep, contextWindow);
  const atLeast = [
    ...(keep.messages === undefined ? [] : [messages.length - keep.messages]),
    ...(keep.turns === undefined ? [] : [turnStart(messages, keep.turns)]),
  ].map((wanted) => legal.findLast((index) => index <= wanted) ?? 0);
  const start = budget === undefined ? undefined : budgetStart(messages, budget, tokenCounter);
  const atMost = start === undefined ? [] : [legal.find((index) => index >= start) ?? legal.at(-1) ?? 0];
  return Math.min(...atLeast, ...atMost, legal.at(-1) ?? 0);
}

/** Index of the message with which the newest `turns` messages of the model begin. */
function turnStart(messages: readonly BaseMessage[], turns: number): number {
  const replies = messages.flatMap((message, index) => (isAi(message) ? [index] : []));
  return turns >= 1 ? (replies.at(-Math.floor(turns)) ?? 0) : messages.length;
}

/** Index from which on the messages have at most so many tokens. */
function budgetStart(messages: readonly BaseMessage[], budget: number, tokenCounter: TokenCounter): number {
  let start = messages.length;
  for (let tokens = 0; start > 0; start--) {
    tokens += tokenCounter(messages.slice(start - 1, start));
    if (tokens > budget) break;
  }
  return start;
}
