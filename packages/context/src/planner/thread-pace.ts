import type { BaseMessage } from "@langchain/core/messages";
import { isAi } from "../messages/tool-calls.js";
import { isSummary } from "../folds/fold.js";
import { promptTokens, usageOf } from "../messages/provider/reported-usage.js";
import type { TokenCounter } from "../tokens/token-counter.js";

/** Growth of a thread: folded steps and steps in the context. */
export interface ThreadPace {
  /** Number of model messages. */
  readonly steps: number;
  /** Tokens of these messages and their results. */
  readonly tokens: number;
}

/**
 * Returns the steps after the last summary and their tokens, added to those of earlier folds. Pure.
 *
 * `tokens / steps` is the growth per step.
 */
export function threadPace(
  messages: readonly BaseMessage[],
  tokenCounter: TokenCounter,
  folded: ThreadPace = { steps: 0, tokens: 0 },
): ThreadPace {
  let [steps, first] = [0, messages.length];
  // Hot path, runs before every call: one backward pass.
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

/**
 * Returns the tokens that the last prompt left in the cache, from its provider's usage report. Pure.
 *
 * The sum of cache reads and cache writes; the whole prompt when the report has no cache fields; undefined without a
 * report or a model message.
 */
export function cachedTokens(messages: readonly BaseMessage[]): number | undefined {
  const newest = messages.findLast((message) => isAi(message));
  const usage = usageOf(newest);
  const input = promptTokens(usage);
  if (input === 0) return undefined;
  const { cache_read: read, cache_creation: written } = usage?.input_token_details ?? {};
  if (read === undefined && written === undefined) return input;
  // A provider that reports only reads has written the rest, unless the prompt is too short for its cache.
  return written === undefined && (read ?? 0) > 0 ? input : (read ?? 0) + (written ?? 0);
}

/** Values below this are seconds since 1970 (ten digits), others milliseconds (thirteen). */
const maxSeconds = 1e11;

/**
 * Returns the time of the last model message in milliseconds since 1970, or undefined when its metadata has none.
 *
 * Pure. Reads `response_metadata.created_at` or `.created`: seconds, milliseconds, or a date as text.
 */
export function lastCallAt(messages: readonly BaseMessage[]): number | undefined {
  const newest = messages.findLast((message) => isAi(message));
  const metadata = newest?.response_metadata;
  const created = metadata?.["created_at"] ?? metadata?.["created"];
  if (typeof created === "number" && created > 0) {
    return created < maxSeconds ? created * 1_000 : created;
  }
  const time = typeof created === "string" ? Date.parse(created) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
