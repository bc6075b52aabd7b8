import { defaults } from "@palimpsest/context";
import type { ContextOptions } from "../context-options.js";
import type { NodeConfig } from "../node-config.js";
import type { NodeState } from "../node-state.js";
import { compactionCondition, type Routes } from "./compaction-condition.js";

export interface SafetyNetOptions {
  /** Share of the context window from which the net holds. @default 0.95 */
  readonly threshold?: number;
}

/**
 * Returns a condition that goes by the compaction node only when the window is nearly full: the net below an agent
 * that compacts by itself with `compress_context`.
 *
 * A request of the agent, and results that are too large, go there as well.
 * @throws ContextError when an option cannot work.
 */
export function safetyNetCondition<To extends string = "compact", Otherwise extends string = "model">({
  threshold = defaults.safetyTrigger.fraction,
  ...options
}: Omit<ContextOptions, "trigger"> & SafetyNetOptions & Routes<To, Otherwise>): (
  state: NodeState,
  config?: NodeConfig,
) => To | Otherwise {
  return compactionCondition({ ...options, agentControlled: true, trigger: { fraction: threshold } });
}
