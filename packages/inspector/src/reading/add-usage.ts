import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import { sumByModel } from "../shared/sum-by-model.js";
import type { ModelUsage } from "../view.js";

/** Returns what the model reported of a reply; undefined when it reported nothing. Pure. */
export function usageOf(message: BaseMessage): ModelUsage | undefined {
  const usage = (message as { usage_metadata?: UsageMetadata }).usage_metadata;
  if (usage === undefined) return undefined;
  const metadata = message.response_metadata as { model_name?: string; model?: string };
  return {
    model: metadata.model_name ?? metadata.model ?? "unnamed",
    calls: 1,
    input: usage.input_tokens,
    cached: usage.input_token_details?.cache_read ?? 0,
    cacheWrites: usage.input_token_details?.cache_creation ?? 0,
    output: usage.output_tokens,
  };
}

/** Adds up the usage that the models of these messages reported, by model. Pure. */
export function addUsage(messages: readonly BaseMessage[]): readonly ModelUsage[] {
  return sumByModel(messages.flatMap((message) => usageOf(message) ?? []));
}
