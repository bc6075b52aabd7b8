import type { BaseMessage } from "@langchain/core/messages";
import { tokensPriced, type Prices } from "./compaction-bill.js";
import { promptTokens, usageOf } from "../messages/provider/reported-usage.js";

/** The prompt of one call; money is in the currency of the prices. */
export interface CallBill {
  /** Tokens of the whole prompt. */
  readonly tokens: number;
  /** Tokens of it that are read from the cache. */
  readonly cachedTokens: number;
  /** Cost of the prompt, without the answer. */
  readonly cost: number;
}

/** Why a provider could not read more of a prompt from its cache. */
export interface CacheMiss {
  /** As the provider spells it, such as `messages_changed`. */
  readonly reason: string;
  /** Tokens after the first difference, by the provider's estimate. */
  readonly tokens?: number;
}

export interface ReportedCall extends CallBill {
  /** With the cache diagnostics of a provider. */
  readonly cacheMiss?: CacheMiss;
}

/**
 * Returns what a provider reports of the call that gave an answer, or undefined where it reports no cache usage. Pure.
 *
 * Reads `usage_metadata` and, for the miss, `diagnostics` of Anthropic: in `response_metadata`, or in `additional_kwargs`
 * when streaming.
 */
export function reportedCall(answer: BaseMessage, prices: Prices): ReportedCall | undefined {
  const usage = usageOf(answer);
  const { cache_read: read, cache_creation: creation } = usage?.input_token_details ?? {};
  const tokens = promptTokens(usage);
  if (tokens === 0 || (read === undefined && creation === undefined)) return undefined;
  const { input, cachedInput, cacheWrite = input } = prices;
  const cachedTokens = read ?? 0;
  // A provider that reports only reads has written the rest.
  const written = creation ?? tokens - cachedTokens;
  const spent = cachedInput * cachedTokens + cacheWrite * written + input * (tokens - cachedTokens - written);
  const cacheMiss = cacheMissOf(answer);
  return {
    tokens,
    cachedTokens,
    cost: spent / tokensPriced,
    ...(cacheMiss === undefined ? {} : { cacheMiss }),
  };
}

interface Diagnostics {
  readonly cache_miss_reason?: {
    readonly type?: unknown;
    readonly cache_missed_input_tokens?: unknown;
  } | null;
}

function cacheMissOf({ response_metadata: metadata, additional_kwargs: kwargs }: BaseMessage) {
  const found = (metadata?.["diagnostics"] ?? kwargs?.["diagnostics"]) as Diagnostics | null | undefined;
  const { type: reason, cache_missed_input_tokens: tokens } = found?.cache_miss_reason ?? {};
  if (typeof reason !== "string") return undefined;
  return { reason, ...(typeof tokens === "number" ? { tokens } : {}) };
}
