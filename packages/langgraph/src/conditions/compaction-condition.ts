import { withIds } from "@palimpsest/context";
import { compactionDue } from "../compaction/compaction-due.js";
import { offloadArrivals } from "../compaction/offload-arrivals.js";
import type { ContextOptions } from "../context-options.js";
import { compactionStateOf, messagesOf, type NodeState } from "../node-state.js";
import { resolveOptions } from "../resolve-options.js";

/** Names of the nodes between which a condition chooses. */
export interface Routes<Then extends string = string, Else extends string = string> {
  /** Node to go to when there is something to compact. @default "compact" */
  readonly then?: Then;
  /** Node to go to otherwise. @default "model" */
  readonly else?: Else;
}

/**
 * Returns a condition for `addConditionalEdges` that goes by the compaction node only when it has something to do.
 *
 * An always-run node costs a checkpoint at every step; this costs none.
 * @throws ContextError when an option cannot work.
 */
export function compactionCondition<Then extends string = "compact", Else extends string = "model">(
  options: ContextOptions & Routes<Then, Else>,
): (state: NodeState) => Then | Else {
  const resolved = resolveOptions(options);
  const compactNode = options.then ?? ("compact" as Then);
  const modelNode = options.else ?? ("model" as Else);
  return function needsCompaction(state) {
    const messages = withIds(messagesOf(state, resolved));
    const due = compactionDue(messages, resolved, compactionStateOf(state)).reason !== undefined;
    return due || offloadArrivals(messages, resolved).folds.length > 0 ? compactNode : modelNode;
  };
}
