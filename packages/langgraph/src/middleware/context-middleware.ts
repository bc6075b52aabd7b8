import type { BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { Command, Overwrite, StateSchema } from "@langchain/langgraph";
import { isContextOverflow, withIds } from "@palimpsest/context";
import { createMiddleware, type ModelRequest } from "langchain";
import { stopPreparing } from "../compaction/background-jobs.js";
import { compact } from "../compaction/compact.js";
import type { ContextOptions } from "../edge/context-options.js";
import { contextState, type CompactionState } from "../edge/context-state.js";
import { compactionStateOf, messagesUpdate } from "../edge/node-state.js";
import { resolveOptions, type ResolvedOptions } from "../edge/resolve-options.js";
import { threadIdOf, type NodeConfig } from "../edge/run-config.js";
import { compressContextTool } from "../tools/compress-context-tool.js";
import { fileTools } from "../tools/file-tools.js";
import { offloadOutput } from "../tools/offload-tools.js";
import { withContextBudget } from "../tools/with-context-budget.js";

export interface ContextMiddlewareOptions extends Omit<ContextOptions, "inputKey" | "outputKey" | "tools"> {
  /** Tools over the agent's files; an empty array leaves them out. @default `fileTools({ files })` */
  readonly fileTools?: readonly DynamicStructuredTool[];
  /** With `agentControlled`: a line at the end of the prompt on how full the context is. @default true */
  readonly contextBudget?: boolean;
}

/**
 * Returns the middleware that keeps a `createAgent` agent inside its window, on the same core as the nodes.
 *
 * Large results are offloaded before they enter the state, the ladder runs before the model is called, an overflow
 * of the provider is compacted and tried once more, and with `agentControlled` the agent gets `compress_context`.
 * @throws ContextError when an option cannot work.
 */
export function contextMiddleware({
  fileTools: given,
  contextBudget = true,
  ...options
}: ContextMiddlewareOptions) {
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
      const { tools, told } = agentControl(request, { ...options, contextBudget, compaction: state });
      try {
        return await handler({ ...request, tools, messages: [...told] });
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

    ...endPreparation(resolved),
  });
}

/** Returns the hook that ends what is written ahead with the run. It costs a step: it is there only where it is needed. */
function endPreparation({ prepareAt, files }: ResolvedOptions) {
  if (prepareAt === undefined) return {};
  return {
    async afterAgent(state: { readonly messages: BaseMessage[] }, runtime: NodeConfig) {
      const threadId = threadIdOf(runtime, state.messages);
      if (threadId !== undefined) await stopPreparing(files, threadId);
      return undefined;
    },
  };
}

interface ControlOptions extends ContextOptions {
  readonly contextBudget: boolean;
  readonly compaction: CompactionState | undefined;
}

/** Returns the tools and the messages of a call; where the agent controls its context, with what it needs for that. */
function agentControl(
  { messages, systemMessage, tools }: Pick<ModelRequest, "messages" | "systemMessage" | "tools">,
  { contextBudget, ...options }: ControlOptions,
): { readonly tools: ModelRequest["tools"]; readonly told: readonly BaseMessage[] } {
  if (options.agentControlled !== true) return { tools, told: messages };
  const sent = { ...options, systemPrompt: systemMessage.text, tools };
  return {
    tools: [...tools, compressContextTool({ ...sent, messages })],
    told: contextBudget ? withContextBudget(messages, sent) : messages,
  };
}
