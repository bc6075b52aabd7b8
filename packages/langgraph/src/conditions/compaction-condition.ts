import { defaults } from "@palimpsest/context";
import type { ContextOptions } from "../options/context-options.js";
import type { NodeState } from "../run/node-state.js";
import { resolveOptions } from "../options/resolve-options.js";
import { sizedForRun, underBudget } from "../run/run-options.js";
import type { NodeConfig } from "../run-config.js";
import { requireOptions } from "../options/require-options.js";
import { isStepDue } from "./step-due.js";
import { requireChannels } from "../options/require-channels.js";

/** Names of the nodes between which a condition chooses. */
export interface Routes<To extends string = string, Otherwise extends string = string> {
  /** Node to go to when there is something to compact. @default "compact" */
  readonly to?: To;
  /** Node to go to when there is not. @default "model" */
  readonly otherwise?: Otherwise;
}

/**
 * Returns a condition for `addConditionalEdges` that routes to the compaction node only when it has something to do.
 *
 * It routes there if and only if the node would change the context, or what it remembers, and while the prompt is over
 * the window or originals wait for the archive.
 * A node that always runs costs a checkpoint at every step; a condition costs none. If the model reasons, it routes to the node
 * at every step, because the node must record what is sent. If it does not, the node records what is sent whenever it runs, to notice
 * that a host has changed it; that alone, and the time of a call that a planner notes, are no reason to route there.
 * @throws ContextError when an option cannot work.
 */
export function compactionCondition<To extends string = "compact", Otherwise extends string = "model">(
  options: ContextOptions & Routes<To, Otherwise>,
): (state: NodeState, config?: NodeConfig) => To | Otherwise {
  requireOptions(options, "compactionCondition");
  const resolved = resolveOptions(options);
  const { to = "compact" as To, otherwise = "model" as Otherwise } = options;
  return function needsCompaction(state, config) {
    requireChannels(state, config, resolved);
    return isStepDue(state, underBudget(sizedForRun(resolved, config), config), config) ? to : otherwise;
  };
}

export interface SafetyNetOptions {
  /** Share of the context window at which the condition routes to the node. @default 0.95 */
  readonly threshold?: number;
}

/**
 * Returns a condition that routes to the compaction node only when the window is nearly full: the safety net of an agent
 * that compacts its context itself with `compress_context`.
 *
 * It also routes there for a request of the agent and for results that are too large.
 * @throws ContextError when an option cannot work.
 */
export function safetyNetCondition<To extends string = "compact", Otherwise extends string = "model">(
  options: Omit<ContextOptions, "trigger"> & SafetyNetOptions & Routes<To, Otherwise>,
): (state: NodeState, config?: NodeConfig) => To | Otherwise {
  requireOptions(options, "safetyNetCondition");
  const { threshold = defaults.safetyTrigger.fraction, ...rest } = options;
  return compactionCondition({ ...rest, agentControlled: true, trigger: { fraction: threshold } });
}
