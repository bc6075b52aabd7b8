import { resolveOptions } from "../options/resolve-options.js";
import type { ContextOptions } from "../options/context-options.js";
import { compactionStateOf, contextIn, type NodeState } from "../run/node-state.js";
import type { NodeConfig } from "../run-config.js";
import { sizedForRun } from "../run/run-options.js";
import { isCallDue } from "../retry/early-answers.js";
import { requireOptions } from "../options/require-options.js";
import { requireChannels } from "../options/require-channels.js";

export interface OverflowRoutes<To extends string = string, Otherwise extends string = string> {
  /** Node to go to when the model is to be called once more. @default "compact" */
  readonly to?: To;
  /** Decides the route of every other answer, such as `toolsCondition`. */
  readonly otherwise: (state: never, config?: never) => Otherwise;
}

/**
 * Returns a condition for the edges after the model node. It routes back to the compaction node if an answer ended at the
 * context window without an error, or if the provider has compacted the context itself and waits for the next call.
 *
 * `.addConditionalEdges("model", overflowCondition({ ...options, otherwise: toolsCondition }))`. The compaction node
 * archives such an answer, compacts, and the model is called again: once for each point of the thread.
 * @throws ContextError when an option cannot work.
 */
export function overflowCondition<Otherwise extends string, To extends string = "compact">(
  options: ContextOptions & OverflowRoutes<To, Otherwise>,
): (state: NodeState, config?: NodeConfig) => To | Otherwise {
  requireOptions(options, "overflowCondition");
  const resolved = resolveOptions(options);
  const { to = "compact" as To, otherwise } = options;
  return function needsCall(state, config) {
    requireChannels(state, config, resolved);
    const sized = sizedForRun(resolved, config);
    const isDue = isCallDue(contextIn(state, sized), sized, compactionStateOf(state, sized));
    return isDue ? to : otherwise(state as never, config as never);
  };
}
