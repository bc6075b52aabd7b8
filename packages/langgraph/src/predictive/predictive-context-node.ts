import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import type { NodeState, NodeUpdate } from "../edge/node-state.js";
import type { GraphNode } from "../nodes/compaction-node.js";
import { predictContext } from "./predict-context.js";
import { resolvePredictive, type PredictiveContextOptions } from "./predictive-options.js";
import { ThreadMemories } from "./memory/thread-memories.js";

/**
 * Returns a node that selects the context for the next step: what that step will probably need, under a hard budget.
 *
 * Put it before the model node, in place of `compactionNode`. With an `outputKey` other than `inputKey` the thread stays whole.
 * @throws ContextError when an option cannot work.
 */
export function predictiveContextNode(options: PredictiveContextOptions): GraphNode {
  const resolved = resolvePredictive(options);
  const memories = new ThreadMemories();
  const { inputKey, outputKey } = resolved;
  return async function predictNextContext(state, config): Promise<NodeUpdate> {
    const messages = listAt(state, inputKey);
    const isView = outputKey !== inputKey;
    const context = isView ? listAt(state, outputKey) : undefined;
    const selected = await predictContext({ messages, context, config }, resolved, memories);
    if (isView) return { [outputKey]: [...selected] };
    return selected === messages ? {} : { [outputKey]: new Overwrite([...selected]) };
  };
}

function listAt(state: NodeState, key: string): readonly BaseMessage[] {
  const value = (state as Readonly<Record<string, unknown>>)[key];
  return Array.isArray(value) ? (value as BaseMessage[]) : [];
}
