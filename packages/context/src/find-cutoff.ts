import type { BaseMessage } from "@langchain/core/messages";
import { cutPoints } from "./cut-points.js";
import { foldRules } from "./cut-rules.js";
import { keepTokens, type Keep } from "./keep.js";
import type { TokenCounter } from "./token-counter.js";
import { unseenStart } from "./unseen-start.js";

export interface FindCutoffOptions {
  readonly keep: Keep;
  readonly tokenCounter: TokenCounter;
  readonly contextWindow?: number | undefined;
}

/**
 * Returns the index of the first message to keep: a legal cut point, 0 when nothing can be folded.
 *
 * A keep in messages keeps at least that many; one in tokens or a fraction keeps at most that many, but never
 * less than what the model has not seen.
 */
export function findCutoff(
  messages: readonly BaseMessage[],
  { keep, tokenCounter, contextWindow }: FindCutoffOptions,
): number {
  const unseen = unseenStart(messages);
  const legal = cutPoints(messages, foldRules).filter((index) => index <= unseen);
  const budget = keepTokens(keep, contextWindow);
  if (budget === undefined) {
    const wanted = messages.length - ("messages" in keep ? keep.messages : 0);
    return legal.findLast((index) => index <= wanted) ?? 0;
  }
  let start = messages.length;
  for (let tokens = 0; start > 0; start--) {
    tokens += tokenCounter(messages.slice(start - 1, start));
    if (tokens > budget) break;
  }
  return legal.find((index) => index >= start) ?? legal.at(-1) ?? 0;
}
