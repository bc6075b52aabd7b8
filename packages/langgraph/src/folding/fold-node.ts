import type { CompactInput, CompactOutcome } from "../compaction/compaction-step.js";
import { compact } from "../compaction/compact.js";
import { compactionStateOf, messagesOf, outcomeUpdate } from "../run/node-state.js";
import { inEpoch } from "../epochs/in-epoch.js";
import type { GraphNode } from "../nodes/compaction-node.js";
import { foldMessages } from "./fold-messages.js";
import { resolveFoldOptions, type FoldOptions, type ResolvedFoldOptions } from "./fold-options.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";
import { requireChannels } from "../options/require-channels.js";

/**
 * Returns a node that keeps the past of an agent as multi-scale state summaries, which the model itself directs (AgentFold).
 *
 * It takes the place of `compactionNode`, with the same options and more. Before each model call it turns the seen interaction
 * into a block, merges blocks by the model's directive or to fit `blockTokens`, and then runs the ladder.
 * @throws ContextError when an option cannot work.
 */
export function foldNode(options: FoldOptions): GraphNode {
  parseOptions(options, surface("foldNode", "node"));
  const resolved = resolveFoldOptions(options);
  return async function foldContext(state, config) {
    requireChannels(state, config, resolved);
    const messages = messagesOf(state, resolved);
    const input = { messages, state: compactionStateOf(state), config };
    return outcomeUpdate(
      state,
      await inEpoch(input, resolved, (valid) => foldAndCompact(valid, resolved)),
      resolved,
    );
  };
}

/** The ladder runs after the fold: it offloads new results, and usually has nothing else to do. */
async function foldAndCompact(input: CompactInput, options: ResolvedFoldOptions): Promise<CompactOutcome> {
  const folded = await foldMessages(input, options);
  const compacted = await compact({ ...input, messages: folded.messages }, options);
  const update = { ...folded.state, ...compacted.state };
  return Object.keys(update).length === 0
    ? { messages: compacted.messages }
    : { messages: compacted.messages, state: update };
}
