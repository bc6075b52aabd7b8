import { getConfig } from "@langchain/langgraph";
import { requireChannels } from "../options/require-channels.js";
import type { NodeConfig } from "../run-config.js";
import { noteNested } from "../nested-run.js";
import { compactionStateOf, listsOf, type NodeState, type NodeUpdate } from "../run/node-state.js";
import { givenTo } from "./given-list.js";
import { hideFromStream, hideStandIns } from "../hide-from-stream.js";
import { joinStep } from "./shared-steps.js";
import { recalledState, taskUpdate, type TaskOptions } from "./task-update.js";
import { runStep, type Plan } from "../run/run-step.js";
import type { StepOptions } from "../run/step.js";

/** A node of any `StateGraph`: reads the messages of the state and returns an update, which is empty if nothing changes. */
export type GraphNode = (state: NodeState, config?: NodeConfig) => Promise<NodeUpdate>;

/** Returns a node that runs a plan in one step of its thread. */
export function stepNode<Options extends StepOptions & TaskOptions>(
  options: Options,
  plan: Plan<Options>,
): GraphNode {
  return async function runNode(state, given) {
    // A host may call the node without its config.
    const config = given ?? getConfig();
    joinStep(config);
    const list = givenTo(state, options, config);
    requireChannels(state, given, { ...options, keepThread: options.keepThread && !list.isOwn });
    const known = recalledState(state, { options, config });
    const lists = listsOf(known, { ...options, config });
    noteNested(config, options.inputKey);
    const input = { ...lists, state: compactionStateOf(known, options), config };
    const outcome = await runStep(input, options, plan);
    if (options.outputKey === options.inputKey) hideStandIns(outcome.messages, input.messages, config);
    else hideFromStream(outcome.messages, config, lists.thread);
    return taskUpdate(list, outcome, { options, config });
  };
}
