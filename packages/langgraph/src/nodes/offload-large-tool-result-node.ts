import { offloadArrivals } from "../compaction/offload-arrivals.js";
import type { ContextOptions } from "../context-options.js";
import { compactionStateOf } from "../node-state.js";
import { resolveOptions } from "../resolve-options.js";
import type { GraphNode } from "./compaction-node.js";
import { passNode } from "./pass-node.js";

/**
 * Returns a node that moves large tool results to the archive; put it between the tools and the model.
 *
 * The model sees path, size, kind and the first lines. To keep a huge result out of the checkpoints altogether, use
 * `offloadTools`.
 * @throws ContextError when an option cannot work.
 */
export function offloadLargeToolResultNode(options: ContextOptions): GraphNode {
  const resolved = resolveOptions(options);
  return passNode(resolved, function offloadLargeToolResult(messages, { state }) {
    return { rewrite: offloadArrivals(messages, resolved, compactionStateOf(state)), reason: "arrival" };
  });
}
