import type { BaseMessage } from "@langchain/core/messages";
import { promptTokens, usageOf } from "@palimpsest/context/internal";
import { sumByModel } from "../shared/cost/sum-by-model.js";
import type { ModelUsage } from "../view.js";

/** Returns what the model reported of a reply; undefined when it reported nothing. Pure. */
export function modelUsage(message: BaseMessage): ModelUsage | undefined {
  const usage = usageOf(message);
  if (usage === undefined) return undefined;
  const metadata = message.response_metadata as { model_name?: string; model?: string };
  return {
    model: metadata.model_name ?? metadata.model ?? "unnamed",
    calls: 1,
    input: promptTokens(usage),
    cached: usage.input_token_details?.cache_read ?? 0,
    cacheWrites: usage.input_token_details?.cache_creation ?? 0,
    output: usage.output_tokens ?? 0,
  };
}

/** Adds up the usage that the models of these messages reported, by model. Pure. */
export function addUsage(messages: readonly BaseMessage[]): readonly ModelUsage[] {
  return sumByModel(messages.flatMap((message) => modelUsage(message) ?? []));
}
