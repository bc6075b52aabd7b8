import type { ModelUsage } from "../../view.js";

/** Adds usages up by model, in the order in which the models come first. Pure. */
export function sumByModel(usages: Iterable<ModelUsage>): readonly ModelUsage[] {
  const byModel = new Map<string, ModelUsage>();
  for (const usage of usages) {
    const sum = byModel.get(usage.model);
    byModel.set(usage.model, sum === undefined ? usage : added(sum, usage));
  }
  return [...byModel.values()];
}

function added(sum: ModelUsage, usage: ModelUsage): ModelUsage {
  return {
    model: sum.model,
    calls: sum.calls + usage.calls,
    input: sum.input + usage.input,
    cached: sum.cached + usage.cached,
    cacheWrites: sum.cacheWrites + usage.cacheWrites,
    output: sum.output + usage.output,
  };
}
