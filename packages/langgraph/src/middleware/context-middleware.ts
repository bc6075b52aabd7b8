import type { DynamicStructuredTool } from "@langchain/core/tools";
import { isContextOverflow, withIds } from "@palimpsest/context";
import { Command, Overwrite, StateSchema } from "@langchain/langgraph";
import { createMiddleware } from "langchain";
import { compact } from "../compaction/compact.js";
import type { ContextOptions } from "../context-options.js";
import { compactionStateOf, messagesUpdate } from "../node-state.js";
import { resolveOptions } from "../resolve-options.js";
import { contextState } from "../state/context-state.js";
import { compressContextTool } from "../tools/compress-context-tool.js";
import { fileTools } from "../tools/file-tools.js";
import { offloadOutput } from "../tools/offload-tools.js";

export interface ContextMiddlewareOptions extends Omit<ContextOptions, "inputKey" | "outputKey" | "tools"> {
  /** Tools over the agent's files; an empty array leaves them out. @default `fileTools({ files })` */
  readonly fileTools?: readonly DynamicStructuredTool[];
}

/**
 * Returns the middleware that keeps a `createAgent` agent inside its window, on the same core as the nodes.
 *
 * Large results are offloaded before they enter the state, the ladder runs before the model is called, an overflow
 * of the provider is compacted and tried once more, and with `agentControlled` the agent gets `compress_context`.
 * @throws ContextError when an option cannot work.
 */
export function contextMiddleware({ fileTools: given, ...options }: ContextMiddlewareOptions) {
  const resolved = resolveOptions(options);
  const compressTool = compressContextTool(options);
  return createMiddleware({
    name: "ContextMiddleware",
    stateSchema: new StateSchema(contextState),
    tools: [...(given ?? fileTools(options))],

    /** Rewrites the messages only when there is something to do: every update here costs a whole checkpoint. */
    async beforeModel(state, runtime) {
      const { messages } = state;
      const outcome = await compact({ messages, state: compactionStateOf(state), config: runtime }, resolved);
      if (outcome.messages === messages && outcome.state === undefined) return undefined;
      return {
        ...(outcome.messages === messages ? {} : messagesUpdate(outcome.messages, resolved)),
        ...(outcome.state === undefined ? {} : { compaction: outcome.state }),
      };
    },

    async wrapModelCall(request, handler) {
      const { messages, runtime } = request;
      const state = compactionStateOf(request.state);
      const sent = { systemPrompt: request.systemMessage.text, tools: request.tools, messages };
      const compress = compressContextTool({ ...options, ...sent, compaction: state });
      const tools = options.agentControlled === true ? [...request.tools, compress] : request.tools;
      try {
        return await handler({ ...request, tools });
      } catch (error) {
        if (!isContextOverflow(error)) throw error;
        const outcome = await compact({ messages, state, config: runtime, overflow: true }, resolved);
        if (outcome.messages === messages) throw error;
        const reply = await handler({ ...request, tools, messages: [...outcome.messages] });
        // The host adds the reply itself, but an overwrite drops what others write in the same step.
        const context = withIds([...outcome.messages, reply]);
        return new Command({ update: { messages: new Overwrite([...context]), compaction: outcome.state } });
      }
    },

    async wrapToolCall(request, handler) {
      const { toolCall, state, runtime } = request;
      const output = await handler(
        toolCall.name === compressTool.name ? { ...request, tool: compressTool } : request,
      );
      return offloadOutput(output, { ...runtime, state }, resolved);
    },
  });
}
