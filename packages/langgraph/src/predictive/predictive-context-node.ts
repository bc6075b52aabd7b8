import { stepNode, type GraphNode } from "../nodes/step-node.js";
import { requireOptions } from "../options/require-options.js";
import { ThreadMemories } from "./memory/thread-memories.js";
import { predictContext } from "./predict-context.js";
import { resolvePredictive, type PredictiveContextOptions } from "./predictive-options.js";

/**
 * Returns a node that selects what the next step will probably need, within a token budget.
 *
 * Put it before the model node, in place of `compactionNode`. With an `outputKey` other than `inputKey` the thread stays whole.
 * @throws ContextError when an option cannot work.
 */
export function predictiveContextNode(options: PredictiveContextOptions): GraphNode {
  requireOptions(options, "predictiveContextNode");
  const resolved = resolvePredictive(options);
  return stepNode(resolved, predictContext(new ThreadMemories(resolved.cacheTokens)));
}
