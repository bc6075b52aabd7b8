import type { CompactInput, CompactOutcome } from "../compaction/compaction-step.js";
import { compact } from "../compaction/compact.js";
import { compactionStateOf, messagesOf, outcomeUpdate } from "../edge/node-state.js";
import type { GraphNode } from "../nodes/compaction-node.js";
import { foldMessages } from "./fold-messages.js";
import { resolveFoldOptions, type FoldOptions, type ResolvedFoldOptions } from "./fold-options.js";

/**
 * Returns a node that keeps the past of an agent as multi-scale state summaries, which the model itself sculpts.
 *
 * It goes where a `compactionNode` goes, with the same options, and takes its place. Before each model call the
 * interaction that the model has seen becomes a block, blocks are merged as the model's directive says or as the
 * budget asks, results that are too large are offloaded, and the ladder stands behind it all.
 * @throws ContextError when an option cannot work.
 */
export function foldNode(options: FoldOptions): GraphNode {
  const resolved = resolveFoldOptions(options);
  return async function foldContext(state, config) {
    const messages = messagesOf(state, resolved);
    const input = { messages, state: compactionStateOf(state), config };
    return outcomeUpdate(state, await foldAndCompact(input, resolved), resolved);
  };
}

/** The ladder comes after the fold: it offloads what has just arrived, and finds nothing else to do as a rule. */
async function foldAndCompact(input: CompactInput, options: ResolvedFoldOptions): Promise<CompactOutcome> {
  const folded = await foldMessages(input, options);
  const compacted = await compact({ ...input, messages: folded.messages }, options);
  const update = { ...folded.state, ...compacted.state };
  return Object.keys(update).length === 0
    ? { messages: compacted.messages }
    : { messages: compacted.messages, state: update };
}
