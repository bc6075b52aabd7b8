import { Command, getConfig } from "@langchain/langgraph";
import type { ContextOptions } from "../options/context-options.js";
import { compactionStateOf, contextIn, type NodeState } from "../run/node-state.js";
import { givenTo } from "./given-list.js";
import { hideFromStream, hideStandIns } from "../hide-from-stream.js";
import { joinStep } from "./shared-steps.js";
import { recalledState, taskUpdate } from "./task-update.js";
import { runStep } from "../run/run-step.js";
import { resolveOptions } from "../options/resolve-options.js";
import type { NodeConfig } from "../run-config.js";
import { isChangedAt, planAfterError, refusalReason } from "../retry/context-after-error.js";
import { requireOptions } from "../options/require-options.js";
import { requireChannels } from "../options/require-channels.js";

/** What LangGraph passes to an error handler: the node that failed, and its error. */
export interface FailedNode {
  readonly node: string;
  readonly error: unknown;
}

/**
 * Returns an error handler for the model node. It compacts a prompt that the provider refuses as too long, removes reasoning
 * that the provider refuses, and runs the node once more.
 *
 * `addNode("model", callModel, { errorHandler: overflowErrorHandler(options), ends: ["model"] })`. It rethrows any other error,
 * a second refusal for the same reason at the same point, and a refusal that no change can resolve. `invoke(null, config)`
 * resumes such a run: it runs the failed node again.
 * @throws ContextError when an option cannot work.
 */
export function overflowErrorHandler(options: ContextOptions) {
  requireOptions(options, "overflowErrorHandler");
  const resolved = resolveOptions(options);
  return async function changeAndRetry(
    state: NodeState,
    { node, error }: FailedNode,
    own?: NodeConfig,
  ): Promise<Command> {
    // A host may call the handler without its config.
    const config = own ?? getConfig();
    joinStep(config);
    /** Ends the run. A resumed run that ended here goes to the failed node again. */
    function giveUp(): Command {
      if (isRebuiltError(error, config)) return new Command({ goto: node });
      throw equalError(error);
    }
    requireChannels(state, own, resolved);
    const given = givenTo(state, resolved, config);
    const known = recalledState(state, { options: resolved, config });
    const messages = contextIn(known, resolved);
    const reason = refusalReason(error);
    if (reason === undefined || isChangedAt(messages, reason)) return giveUp();
    const channel = compactionStateOf(known, resolved);
    const input = { messages, state: channel, config, overflow: reason === "overflow" };
    const outcome = await runStep(input, resolved, planAfterError(error));
    if (outcome.messages === messages) return giveUp();
    if (resolved.outputKey === resolved.inputKey) hideStandIns(outcome.messages, messages, config);
    else hideFromStream(outcome.messages, config, contextIn(known, { inputKey: resolved.inputKey }));
    const update = await taskUpdate(given, outcome, { options: resolved, config });
    return new Command({ goto: node, update });
  };
}

/**
 * Returns a copy of an error with the same class, message, stack and fields. Never throws.
 *
 * LangGraph treats the error object that it passed to an error handler as handled, even if the handler rethrows it: the run
 * would end without a reply and without an error.
 */
export function equalError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(error);
  // In newer versions of Node, the stack is an accessor that works only on the original.
  fields["stack"] = { value: error.stack, writable: true, configurable: true };
  return Object.create(Object.getPrototypeOf(error) as object, fields) as Error;
}

/**
 * Returns true if an error handler runs again for a failure of an earlier run. Pure, never throws.
 *
 * A resumed run does not run the failed node: LangGraph (1.7) only calls its error handler, with a plain `Error` made from the
 * stored name and message. The config says that the run resumes, but it says so for a retried node in a first run too; an error
 * that a node threw in this run carries the id of its task.
 */
export function isRebuiltError(error: unknown, config: NodeConfig | undefined): boolean {
  if (config?.configurable?.["__pregel_resuming"] !== true || !(error instanceof Error)) return false;
  return Object.getPrototypeOf(error) === Error.prototype && !("pregelTaskId" in error);
}
