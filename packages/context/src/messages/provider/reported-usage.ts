import type { BaseMessage } from "@langchain/core/messages";

/** What a provider reports of one call, as LangChain passes it on. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_tokens?: number;
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number };
}

/** Returns the usage that an answer reports, or undefined. */
export function usageOf(answer: BaseMessage | undefined): Usage | undefined {
  return (answer as { readonly usage_metadata?: Usage | null } | undefined)?.usage_metadata ?? undefined;
}

/**
 * Returns the tokens of the whole prompt of a call, those of the provider's cache included; 0 where none are reported. Pure.
 *
 * LangChain counts cached tokens among `input_tokens`. Some clients and proxies pass on what Bedrock and Anthropic call input,
 * which is the rest alone: then there are more cached tokens than input, or the total has all three parts.
 */
export function promptTokens(usage: Usage | undefined): number {
  const { input_tokens: input = 0, output_tokens: output = 0, input_token_details: details } = usage ?? {};
  const cached = (details?.cache_read ?? 0) + (details?.cache_creation ?? 0);
  const isApart = cached > 0 && (cached > input || usage?.total_tokens === input + cached + output);
  return isApart ? input + cached : input;
}
