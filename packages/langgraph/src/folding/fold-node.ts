import { ladder } from "../compaction/compact.js";
import { stepNode, type GraphNode } from "../nodes/step-node.js";
import { requireOptions } from "../options/require-options.js";
import type { CompactionState } from "../run/context-state.js";
import type { Step } from "../run/step.js";
import { foldPast } from "./fold-past.js";
import { resolveFoldOptions, type FoldOptions, type ResolvedFoldOptions } from "./fold-options.js";

/**
 * Returns a node that keeps the past of an agent as multi-scale state summaries, which the model itself directs (AgentFold).
 *
 * It takes the place of `compactionNode`, with the same options and more. Before each model call it turns the seen interaction
 * into a block, merges blocks by the model's directive or to fit `blockTokens`, and then runs the ladder.
 * @throws ContextError when an option cannot work.
 */
export function foldNode(options: FoldOptions): GraphNode {
  requireOptions(options, "foldNode");
  return stepNode(resolveFoldOptions(options), foldAndCompact);
}

const runLadder = ladder();

/** Folds, and runs the ladder after it: it offloads new results, and usually has nothing else to do. */
export async function foldAndCompact(step: Step<ResolvedFoldOptions>): Promise<CompactionState> {
  const folded = await foldPast(step);
  return { ...folded, ...(await runLadder(step)) };
}
