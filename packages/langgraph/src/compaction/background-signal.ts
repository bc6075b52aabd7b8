import type { NodeConfig } from "../node-config.js";

/**
 * Returns the signal that ends a run, for work that goes on after the step that began it.
 *
 * The signal of a step is let go of when the step is over, so that an abort in a later one would not be heard. LangGraph
 * hands the run's own on beside it; where it does not, the step's is better than none.
 */
export function runSignal(config: NodeConfig | undefined): AbortSignal | undefined {
  const signals = config?.configurable?.["__pregel_abort_signals"] as
    | { readonly externalAbortSignal?: unknown }
    | undefined;
  const external = signals?.externalAbortSignal;
  return external instanceof AbortSignal ? external : config?.signal;
}
