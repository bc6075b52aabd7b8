import { Command } from "@langchain/langgraph";
import { isContextOverflow } from "@palimpsest/context";
import { isCompactedAt } from "./compaction/compaction-due.js";
import { compact } from "./compaction/compact.js";
import type { ContextOptions } from "./context-options.js";
import { equalError } from "./equal-error.js";
import { isRebuiltError } from "./is-rebuilt-error.js";
import type { NodeConfig } from "./node-config.js";
import { compactionStateOf, messagesOf, outcomeUpdate, type NodeState } from "./node-state.js";
import { resolveOptions } from "./resolve-options.js";

/** What LangGraph tells an error handler: which node failed, and with what. */
export interface FailedNode {
  readonly node: string;
  readonly error: unknown;
}

/**
 * Returns an error handler for the model node: a prompt that the provider refuses as too long is compacted, and the
 * node is run once more.
 *
 * `addNode("model", callModel, { errorHandler: overflowErrorHandler(options), ends: ["model"] })`. Any other error,
 * a second overflow at the same point, and an overflow that no compaction can help are thrown as they came. A run that
 * ended so is resumed by `invoke(null, config)`: the failed node is run again.
 * @throws ContextError when an option cannot work.
 */
export function overflowErrorHandler(options: ContextOptions) {
  const resolved = resolveOptions(options);
  return async function compactAndRetry(
    state: NodeState,
    { node, error }: FailedNode,
    config?: NodeConfig,
  ): Promise<Command> {
    /** Ends the run; or where it was ended so before and is resumed, sends it to the node that failed then. */
    function giveUp(): Command {
      if (isRebuiltError(error, config)) return new Command({ goto: node });
      throw equalError(error);
    }
    const messages = messagesOf(state, resolved);
    if (!isContextOverflow(error) || isCompactedAt(messages, "overflow")) return giveUp();
    const input = { messages, state: compactionStateOf(state), config, overflow: true };
    const outcome = await compact(input, resolved);
    if (outcome.messages === messages) return giveUp();
    return new Command({ goto: node, update: outcomeUpdate(state, outcome, resolved) });
  };
}
