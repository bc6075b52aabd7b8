import type { BaseMessage } from "@langchain/core/messages";
import { isAi } from "../messages/tool-calls.js";
import { isSummary } from "../folds/fold.js";
import type { TokenCounter } from "../tokens/token-counter.js";

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

/** What a provider reports of a prompt, as LangChain passes it on. */
interface Usage {
  readonly input_tokens?: number;
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number };
}

/**
 * Returns the tokens that the last prompt left in the cache, as its provider reported them. Pure.
 *
 * What it read from the cache and wrote to it; the whole prompt where the provider tells of no cache; undefined where
 * it told nothing, or no model has been called.
 */
export function cachedTokens(messages: readonly BaseMessage[]): number | undefined {
  const newest = messages.findLast((message) => isAi(message));
  const usage = (newest as { usage_metadata?: Usage } | undefined)?.usage_metadata;
  const input = usage?.input_tokens ?? 0;
  if (input === 0) return undefined;
  const { cache_read: read, cache_creation: written } = usage?.input_token_details ?? {};
  if (read === undefined && written === undefined) return input;
  // A provider that only tells what it read has written the rest, unless the prompt was too short for its cache.
  return written === undefined && (read ?? 0) > 0 ? input : (read ?? 0) + (written ?? 0);
}

/** Seconds since 1970 have ten digits, milliseconds thirteen. */
const mostSeconds = 1e11;

/**
 * Returns when the last message of the model was made, in milliseconds since 1970, or undefined where it does not tell.
 *
 * Pure. Read from `response_metadata.created_at` or `.created`: seconds, milliseconds, or a date as text.
 */
export function lastCallAt(messages: readonly BaseMessage[]): number | undefined {
  const newest = messages.findLast((message) => isAi(message));
  const metadata = newest?.response_metadata;
  const told = metadata?.["created_at"] ?? metadata?.["created"];
  if (typeof told === "number" && told > 0) return told < mostSeconds ? told * 1_000 : told;
  const time = typeof told === "string" ? Date.parse(told) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
