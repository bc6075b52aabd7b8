import { Command } from "@langchain/langgraph";
import type { ContextOptions } from "../edge/context-options.js";
import { compactionStateOf, messagesOf, outcomeUpdate, type NodeState } from "../edge/node-state.js";
import { inEpoch } from "../epochs/in-epoch.js";
import { resolveOptions } from "../edge/resolve-options.js";
import type { NodeConfig } from "../edge/run-config.js";
import { contextAfterError, isChangedAt, refusalCause } from "../retry/context-after-error.js";
import { parseOptions } from "../options/parse-options.js";
import { surface } from "../options/surfaces.js";
import { requireChannels } from "../options/require-channels.js";

/** What LangGraph passes to an error handler: the node that failed, and its error. */
export interface FailedNode {
  readonly node: string;
  readonly error: unknown;
}

/**
 * Returns an error handler for the model node: a prompt that the provider refuses as too long is compacted, reasoning that
 * it refuses is removed, and the node is run once more.
 *
 * `addNode("model", callModel, { errorHandler: overflowErrorHandler(options), ends: ["model"] })`. Any other error,
 * a second refusal for the same cause at the same point, and a refusal that no change can help are thrown as they came. A
 * run that ended so is resumed by `invoke(null, config)`: the failed node is run again.
 * @throws ContextError when an option cannot work.
 */
export function overflowErrorHandler(options: ContextOptions) {
  parseOptions(options, surface("overflowErrorHandler", "node"));
  const resolved = resolveOptions(options);
  return async function changeAndRetry(
    state: NodeState,
    { node, error }: FailedNode,
    config?: NodeConfig,
  ): Promise<Command> {
    /** Ends the run. A run that ended here before and is resumed goes to the failed node again. */
    function giveUp(): Command {
      if (isRebuiltError(error, config)) return new Command({ goto: node });
      throw equalError(error);
    }
    requireChannels(state, config, resolved);
    const messages = messagesOf(state, resolved);
    const cause = refusalCause(error);
    if (cause === undefined || isChangedAt(messages, cause)) return giveUp();
    const input = { messages, state: compactionStateOf(state), config };
    const outcome = await inEpoch(
      input,
      resolved,
      async (valid) => (await contextAfterError(error, valid, resolved)) ?? { messages: valid.messages },
    );
    if (outcome.messages === messages) return giveUp();
    return new Command({ goto: node, update: outcomeUpdate(state, outcome, resolved) });
  };
}

/**
 * Returns an error of the same class, message, stack and fields that is another object. Never throws.
 *
 * LangGraph treats the error object that it passed to an error handler as handled, even when the handler throws it again:
 * the run would end without a reply and without an error.
 */
export function equalError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error), { cause: error });
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(error);
  // Newer versions of Node keep the stack behind an accessor that works on the original alone.
  fields["stack"] = { value: error.stack, writable: true, configurable: true };
  return Object.create(Object.getPrototypeOf(error) as object, fields) as Error;
}

/**
 * Returns true when an error handler is run again for a failure of an earlier run. Pure, never throws.
 *
 * A resumed run does not run the failed node: LangGraph (1.7) calls its error handler alone, with a plain `Error` made
 * from the stored name and message. The run says that it resumes, but so does a retried node in a first run; an error
 * that a node has thrown in this run carries the id of its task.
 */
export function isRebuiltError(error: unknown, config: NodeConfig | undefined): boolean {
  if (config?.configurable?.["__pregel_resuming"] !== true || !(error instanceof Error)) return false;
  return Object.getPrototypeOf(error) === Error.prototype && !("pregelTaskId" in error);
}
