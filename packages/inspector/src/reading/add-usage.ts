import type { BaseMessage, UsageMetadata } from "@langchain/core/messages";
import type { CallView, ModelUsage } from "../view.js";

/** Returns what the model reported of a reply; undefined when it reported nothing. Pure. */
export function callOf(message: BaseMessage): (CallView & { readonly cacheWrites: number }) | undefined {
  const usage = (message as { usage_metadata?: UsageMetadata }).usage_metadata;
  if (usage === undefined) return undefined;
  const metadata = message.response_metadata as { model_name?: string; model?: string };
  return {
    model: metadata.model_name ?? metadata.model ?? "unnamed",
    input: usage.input_tokens,
    cached: usage.input_token_details?.cache_read ?? 0,
    cacheWrites: usage.input_token_details?.cache_creation ?? 0,
    output: usage.output_tokens,
  };
}

/** Adds up the usage that the models of these messages reported, by model. Pure. */
export function addUsage(messages: readonly BaseMessage[]): readonly ModelUsage[] {
  const byModel = new Map<string, ModelUsage>();
  for (const message of messages) {
    const call = callOf(message);
    if (call === undefined) continue;
    const { model, ...tokens } = call;
    const sum = byModel.get(model) ?? { model, calls: 0, input: 0, cached: 0, cacheWrites: 0, output: 0 };
    byModel.set(model, {
      model,
      calls: sum.calls + 1,
      input: sum.input + tokens.input,
      cached: sum.cached + tokens.cached,
      cacheWrites: sum.cacheWrites + tokens.cacheWrites,
      output: sum.output + tokens.output,
    });
  }
  return [...byModel.values()];
}
