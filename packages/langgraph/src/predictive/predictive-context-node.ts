import type { BaseMessage } from "@langchain/core/messages";
import { Overwrite } from "@langchain/langgraph";
import {
  compactionStateOf,
  continuedContext,
  scopeOf,
  type NodeState,
  type NodeUpdate,
} from "../run/node-state.js";
import { inEpoch } from "../epochs/in-epoch.js";
import type { GraphNode } from "../nodes/compaction-node.js";
import { predictContext } from "./predict-context.js";
import { resolvePredictive, type PredictiveContextOptions } from "./predictive-options.js";
import { ThreadMemories } from "./memory/thread-memories.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";
import { requireChannels } from "../options/require-channels.js";

/**
 * Returns a node that selects what the next step will probably need, within a token budget.
 *
 * Put it before the model node, in place of `compactionNode`. With an `outputKey` other than `inputKey` the thread stays whole.
 * @throws ContextError when an option cannot work.
 */
export function predictiveContextNode(options: PredictiveContextOptions): GraphNode {
  parseOptions(options, surface("predictiveContextNode", "predictive"));
  const resolved = resolvePredictive(options);
  const memories = new ThreadMemories(resolved.cacheTokens);
  const { inputKey, outputKey } = resolved;
  return async function predictNextContext(state, config): Promise<NodeUpdate> {
    requireChannels(state, config, resolved);
    const thread = listAt(state, inputKey);
    const isView = outputKey !== inputKey;
    const messages = isView ? continuedContext(thread, listAt(state, outputKey)) : thread;
    const input = { messages, state: compactionStateOf(state), config };
    const outcome = await inEpoch(input, resolved, async ({ messages: valid }) => {
      const lists = isView ? { messages: thread, context: valid } : { messages: valid };
      return {
        messages: await predictContext(
          { ...lists, config, scope: scopeOf(state, thread) },
          resolved,
          memories,
        ),
      };
    });
    const compaction = outcome.state === undefined ? {} : { compaction: outcome.state };
    if (isView) return { [outputKey]: [...outcome.messages], ...compaction };
    const isChanged = outcome.messages !== thread;
    return { ...(isChanged ? { [outputKey]: new Overwrite([...outcome.messages]) } : {}), ...compaction };
  };
}

function listAt(state: NodeState, key: string): readonly BaseMessage[] {
  const value = (state as Readonly<Record<string, unknown>>)[key];
  return Array.isArray(value) ? (value as BaseMessage[]) : [];
}
