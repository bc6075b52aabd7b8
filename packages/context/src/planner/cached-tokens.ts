import type { BaseMessage } from "@langchain/core/messages";
import { isAi } from "../tool-calls.js";

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
