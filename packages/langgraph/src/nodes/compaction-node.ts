import type { ContextOptions } from "../options/context-options.js";
import { resolveOptions } from "../options/resolve-options.js";
import { requireOptions } from "../options/require-options.js";
import { compactBeforeCall } from "../retry/compact-before-call.js";
import { stepNode, type GraphNode } from "./step-node.js";

/**
 * Returns a node that keeps the context inside the window. It runs the whole ladder.
 *
 * Put it before the model node. It offloads results that are too large and compacts when the trigger is met or the agent
 * asks; otherwise the update is empty. The steps are in `compaction/compact.ts`.
 * @throws ContextError when an option cannot work.
 */
export function compactionNode(options: ContextOptions): GraphNode {
  requireOptions(options, "compactionNode");
  return stepNode(resolveOptions(options), compactBeforeCall());
}
