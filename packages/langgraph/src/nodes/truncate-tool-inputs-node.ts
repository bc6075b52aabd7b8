import { findCutoff, truncateToolInputs } from "@palimpsest/context";
import { compactionDue } from "../compaction/compaction-due.js";
import { underBudget } from "../compaction/under-budget.js";
import { withPins } from "../compaction/with-pins.js";
import type { ContextOptions } from "../context-options.js";
import { compactionStateOf } from "../node-state.js";
import { resolveOptions } from "../resolve-options.js";
import type { GraphNode } from "./compaction-node.js";
import { passNode } from "./pass-node.js";

/**
 * Returns a node that replaces large arguments of old tool calls by pointers, once the trigger is met.
 *
 * Calls inside `keep` are left alone; a call is changed once, so the prompt prefix stays as it is afterwards.
 * @throws ContextError when an option cannot work.
 */
export function truncateToolInputsNode(options: ContextOptions): GraphNode {
  const resolved = resolveOptions(options);
  return passNode(resolved, function truncateInputs(messages, { state, config }) {
    const { reason } = compactionDue(messages, underBudget(resolved, config), compactionStateOf(state));
    if (reason === undefined) return undefined;
    const end = findCutoff(messages, resolved);
    return { rewrite: truncateToolInputs(messages, { ...withPins(messages, resolved), end }), reason };
  });
}
