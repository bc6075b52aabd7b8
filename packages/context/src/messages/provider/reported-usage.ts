import type { BaseMessage } from "@langchain/core/messages";

/** Usage of one call, as LangChain reports it. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_tokens?: number;
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number };
}

/** Returns the usage that an answer reports, or undefined. A field that is no number of tokens counts as not reported. */
export function usageOf(answer: BaseMessage | undefined): Usage | undefined {
  const { usage_metadata: usage } = (answer ?? {}) as { readonly usage_metadata?: unknown };
  if (typeof usage !== "object" || usage === null) return undefined;
  const { input_token_details: details } = usage as { readonly input_token_details?: unknown };
  const parts =
    typeof details === "object" && details !== null ? numbersIn(details, detailFields) : undefined;
  return { ...numbersIn(usage, sumFields), ...(parts && { input_token_details: parts }) };
}

const sumFields = ["input_tokens", "output_tokens", "total_tokens"] as const;
const detailFields = ["cache_read", "cache_creation"] as const;

/** Hot path: every reply of a loaded thread passes through here. */
function numbersIn(fields: object, names: readonly string[]): Readonly<Record<string, number>> {
  const numbers: Record<string, number> = {};
  for (const name of names) {
    const value = (fields as Readonly<Record<string, unknown>>)[name];
    if (isTokens(value)) numbers[name] = value;
  }
  return numbers;
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Infinity;
}

/**
 * Returns the tokens of the whole prompt of a call, those of the provider's cache included; 0 where none are reported. Pure.
 *
 * LangChain includes cached tokens in `input_tokens`. Some clients and proxies pass on the input of Bedrock and Anthropic,
 * which excludes them: then there are more cached tokens than input tokens, or the total equals the sum of all three.
 */
export function promptTokens(usage: Usage | undefined): number {
  const { input_tokens: input = 0, output_tokens: output = 0, input_token_details: details } = usage ?? {};
  const cached = (details?.cache_read ?? 0) + (details?.cache_creation ?? 0);
  const isApart = cached > 0 && (cached > input || usage?.total_tokens === input + cached + output);
  return isApart ? input + cached : input;
}
