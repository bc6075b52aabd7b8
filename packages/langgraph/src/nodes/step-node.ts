import { getConfig, Overwrite } from "@langchain/langgraph";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { lacksChannel, requireChannels } from "../options/require-channels.js";
import type { NodeConfig } from "../run-config.js";
import {
  compactionStateOf,
  listsOf,
  outcomeUpdate,
  type NodeState,
  type NodeUpdate,
} from "../run/node-state.js";
import { hideFromStream } from "./hide-from-stream.js";
import { runStep, type Plan } from "../run/run-step.js";
import type { StepOptions } from "../run/step.js";

/** Returns an update whose messages are a plain list where no channel takes them, as in the functional API. */
function asValue(update: NodeUpdate, key: string, config: NodeConfig | undefined): NodeUpdate {
  const messages = update[key];
  return Overwrite.isInstance(messages) && lacksChannel(config, key)
    ? { ...update, [key]: messages.value }
    : update;
}

/** A node of any `StateGraph`: reads the messages of the state and returns an update, which is empty if nothing changes. */
export type GraphNode = (state: NodeState, config?: NodeConfig) => Promise<NodeUpdate>;

/** Returns a node that runs a plan in one step of its thread. */
export function stepNode<Options extends StepOptions & Pick<ResolvedOptions, "inputKey" | "outputKey">>(
  options: Options,
  plan: Plan<Options>,
): GraphNode {
  return async function runNode(state, config) {
    requireChannels(state, config, options);
    const input = { ...listsOf(state, options), state: compactionStateOf(state, options), config };
    const outcome = await runStep(input, options, plan);
    if (options.outputKey !== options.inputKey) hideFromStream(outcome.messages, config);
    return asValue(outcomeUpdate(state, outcome, options), options.outputKey, config ?? getConfig());
  };
}
