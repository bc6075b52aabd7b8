import type { ContextOptions } from "../options/context-options.js";
import {
  compactionStateOf,
  messagesOf,
  outcomeUpdate,
  type NodeState,
  type NodeUpdate,
} from "../run/node-state.js";
import { inEpoch } from "../epochs/in-epoch.js";
import { resolveOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";
import { compactBeforeCall } from "../retry/compact-before-call.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";
import { requireChannels } from "../options/require-channels.js";

/** A node of any `StateGraph`: reads the messages of the state and returns an update, which is empty if nothing changes. */
export type GraphNode = (state: NodeState, config?: NodeConfig) => Promise<NodeUpdate>;

/**
 * Returns a node that keeps the context inside the window. It runs the whole ladder.
 *
 * Put it before the model node. It offloads results that are too large and compacts when the trigger is met or the agent
 * asks; otherwise the update is empty. The steps are in `compaction/compact.ts`.
 * @throws ContextError when an option cannot work.
 */
export function compactionNode(options: ContextOptions): GraphNode {
  parseOptions(options, surface("compactionNode", "node"));
  const resolved = resolveOptions(options);
  return async function compactContext(state, config) {
    requireChannels(state, config, resolved);
    const messages = messagesOf(state, resolved);
    const input = { messages, state: compactionStateOf(state), config };
    const outcome = await inEpoch(input, resolved, (valid) => compactBeforeCall(valid, resolved));
    return outcomeUpdate(state, outcome, resolved);
  };
}
