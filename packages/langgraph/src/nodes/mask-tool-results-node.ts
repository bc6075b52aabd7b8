import { defaults, maskToolResults, requirePositive, type MaskOptions } from "@palimpsest/context";
import { compactionDue } from "../compaction/compaction-due.js";
import { underBudget } from "../compaction/under-budget.js";
import { withPins } from "../compaction/with-pins.js";
import type { ContextOptions } from "../context-options.js";
import { compactionStateOf } from "../node-state.js";
import { resolveOptions } from "../resolve-options.js";
import type { GraphNode } from "./compaction-node.js";
import { passNode } from "./pass-node.js";

/**
 * Returns a node that replaces the tool results of old steps by a line each, once the trigger is met.
 *
 * @throws ContextError when an option cannot work.
 */
export function maskToolResultsNode(options: ContextOptions & Pick<MaskOptions, "keepSteps">): GraphNode {
  const { keepSteps = defaults.maskKeepSteps } = options;
  requirePositive("keepSteps", keepSteps);
  const resolved = { ...resolveOptions(options), keepSteps };
  return passNode(resolved, function maskResults(messages, { state, config }) {
    const { reason } = compactionDue(messages, underBudget(resolved, config), compactionStateOf(state));
    if (reason === undefined) return undefined;
    return { rewrite: maskToolResults(messages, { ...withPins(messages, resolved), keepSteps }), reason };
  });
}
