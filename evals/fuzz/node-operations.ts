import { ContextOverflowError } from "@langchain/core/errors";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, Overwrite } from "@langchain/langgraph";
import { estimateTokens, measureContext } from "@palimpsest/context";
import {
  compactionNode,
  maskToolResultsNode,
  offloadLargeToolResultNode,
  overflowErrorHandler,
  summarizeWithFilesystemPreservationNode,
  truncateToolInputsNode,
  type CompactionState,
  type ContextEvent,
  type ContextOptions,
  type GraphNode,
} from "@palimpsest/langgraph";
import type * as fc from "fast-check";
import { nodeOptionsArbitrary } from "./option-arbitraries.js";
import { contextOf, type FuzzState, type Operation } from "./operation.js";

const nodes: Readonly<Record<string, (options: ContextOptions) => GraphNode>> = {
  compactionNode,
  maskToolResultsNode,
  offloadLargeToolResultNode,
  summarizeWithFilesystemPreservationNode,
  truncateToolInputsNode,
  /** The handler of a model node whose provider refuses every prompt. */
  overflowErrorHandler(options) {
    const handle = overflowErrorHandler(options);
    const error = new ContextOverflowError("prompt is too long");
    return async function compactOrGiveUp(state, config) {
      const command = await handle(state, { node: "model", error }, config).catch(passOverflow);
      return command instanceof Command ? (command.update as Record<string, unknown>) : {};
    };
  },
};

export const nodeOperations: readonly fc.Arbitrary<Operation>[] = Object.keys(nodes).map((name) =>
  nodeOptionsArbitrary.map((options) => nodeOperation(name, options)),
);

type NodeOptions = Omit<ContextOptions, "files">;

/** Returns a node as a graph runs it: on a state, with a config, its update applied. */
export function nodeOperation(name: string, options: NodeOptions): Operation {
  return {
    name: `${name} ${JSON.stringify(options)}`,
    async run(state, world) {
      const { files, threadId, view, channel } = world;
      const grown: ContextEvent[] = [];
      const told = new Set<ContextEvent["type"]>();
      const onEvent = (event: ContextEvent) => {
        told.add(event.type);
        if (event.type === "context.compaction" && event.tokensAfter >= event.tokensBefore) grown.push(event);
      };
      const make = nodes[name];
      if (make === undefined) throw new Error(`No node ${name}`);
      const node = make({ ...options, files, onEvent, ...(view ? { outputKey: "context" } : {}) });
      const update = await node(state, { configurable: { thread_id: threadId } });
      if (grown.length > 0) throw new Error(`law 4: no progress in ${JSON.stringify(grown)}`);
      const { compaction, ...changed } = unwrapped(update);
      const merged: CompactionState = { ...(state.compaction as CompactionState), ...compaction };
      const next = { ...state, ...changed, ...(channel ? { compaction: merged } : {}) };
      const window = options.contextWindow ?? Infinity;
      const tokens = measure(contextOf(next, world), { merged, applied: compaction }, options.contextWindow);
      const isTold = merged.overflow !== undefined || told.has("context.fail");
      if (name === "compactionNode" && channel && tokens > window && !isTold) {
        throw new Error(
          `law 12: a prompt of ${tokens} tokens for a window of ${window}, and no event says so`,
        );
      }
      return next;
    },
  };
}

interface Noted {
  readonly merged: CompactionState;
  /** What this step has written. */
  readonly applied: CompactionState | undefined;
}

/**
 * Returns the tokens of the next prompt, as the node measures it: usage from before an unfolding says nothing of it, and a report
 * of more than the window and twice the count is not believed. A compaction may fold the report that its own sizes are based on: in
 * its step the ratio of that report holds, also below 1.
 */
function measure(
  messages: readonly BaseMessage[],
  { merged: { overheadTokens, tokenRatio, unfoldedAt }, applied }: Noted,
  contextWindow: number | undefined,
): number {
  const known = { overheadTokens, tokenRatio, unfoldedAt, contextWindow };
  const measured = measureContext(messages, { tokenCounter: estimateTokens, ...known });
  if (measured.source === "usage" || applied?.tokenRatio === undefined) return measured.tokens;
  const counted = measureContext(messages, {
    tokenCounter: estimateTokens,
    unfoldedAt,
    contextWindow,
  }).tokens;
  return measured.overheadTokens + Math.ceil(applied.tokenRatio * counted);
}

/** Returns an update with the messages that it overwrites. */
function unwrapped(
  update: Record<string, unknown>,
): Partial<Omit<FuzzState, "compaction">> & { readonly compaction?: CompactionState } {
  const { messages, ...rest } = update;
  return Overwrite.isInstance<BaseMessage[]>(messages) ? { ...rest, messages: messages.value } : rest;
}

/** An overflow that cannot be resolved is rethrown unchanged. Any other error killed the run. */
function passOverflow(error: unknown): undefined {
  if (ContextOverflowError.isInstance(error)) return undefined;
  throw error;
}
