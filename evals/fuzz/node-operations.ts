import { ContextOverflowError } from "@langchain/core/errors";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, Overwrite } from "@langchain/langgraph";
import {
  compactionNode,
  maskToolResultsNode,
  offloadLargeToolResultNode,
  overflowErrorHandler,
  summarizeWithFilesystemPreservationNode,
  truncateToolInputsNode,
  type ContextEvent,
  type ContextOptions,
  type GraphNode,
} from "@palimpsest/langgraph";
import type * as fc from "fast-check";
import { nodeOptionsArbitrary } from "./option-arbitraries.js";
import type { FuzzState, FuzzWorld, Operation } from "./operation.js";

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

/** The nodes, as a graph runs them: on a state, with a config, their update applied. */
export const nodeOperations: readonly fc.Arbitrary<Operation>[] = Object.entries(nodes).map(([name, make]) =>
  nodeOptionsArbitrary.map((options) => ({
    name: `${name} ${JSON.stringify(options)}`,
    async run(state: FuzzState, { files, threadId, view, channel }: FuzzWorld) {
      const grown: ContextEvent[] = [];
      const onEvent = (event: ContextEvent) => {
        if (event.type === "context.compaction" && event.tokensAfter >= event.tokensBefore) grown.push(event);
      };
      const node = make({ ...options, files, onEvent, ...(view ? { outputKey: "context" } : {}) });
      const update = await node(state, { configurable: { thread_id: threadId } });
      if (grown.length > 0) throw new Error(`law 4: no progress in ${JSON.stringify(grown)}`);
      const { compaction = state.compaction, ...changed } = unwrapped(update);
      return { ...state, ...changed, ...(channel ? { compaction } : {}) };
    },
  })),
);

function unwrapped(update: Record<string, unknown>): Partial<FuzzState> {
  const { messages, ...rest } = update;
  return Overwrite.isInstance<BaseMessage[]>(messages) ? { ...rest, messages: messages.value } : rest;
}

/** An overflow that cannot be resolved is rethrown unchanged. Any other error killed the run. */
function passOverflow(error: unknown): undefined {
  if (ContextOverflowError.isInstance(error)) return undefined;
  throw error;
}
