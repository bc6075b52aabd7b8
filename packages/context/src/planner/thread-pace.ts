import type { BaseMessage } from "@langchain/core/messages";
import { isSummary } from "../plan-summary.js";
import type { TokenCounter } from "../token-counter.js";
import { isAi } from "../tool-calls.js";

/** How a thread has grown: what the planner remembers of what was folded, and what stands in the context. */
export interface ThreadPace {
  /** Messages of the model. */
  readonly steps: number;
  /** Tokens that they and their results had. */
  readonly tokens: number;
}

/**
 * Returns the steps of the context after its last summary and their tokens, added to those that were folded before. Pure.
 *
 * `tokens / steps` is the growth of a step.
 */
export function threadPace(
  messages: readonly BaseMessage[],
  tokenCounter: TokenCounter,
  folded: ThreadPace = { steps: 0, tokens: 0 },
): ThreadPace {
  let [steps, first] = [0, messages.length];
  // Backwards and in one pass: this is looked at before every call.
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || isSummary(message)) break;
    if (!isAi(message)) continue;
    steps++;
    first = index;
  }
  if (steps === 0) return folded;
  return { steps: folded.steps + steps, tokens: folded.tokens + tokenCounter(messages.slice(first)) };
}
