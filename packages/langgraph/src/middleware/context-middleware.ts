import type { BaseMessage } from "@langchain/core/messages";
import type { DynamicStructuredTool } from "@langchain/core/tools";
import { StateSchema } from "@langchain/langgraph";
import { ContextError, defaults } from "@palimpsest/context";
import { createMiddleware, type ModelRequest, type ToolCallRequest } from "langchain";
import { agentOptions } from "../options/agent-options.js";
import { withContextBudget } from "../compaction/budget-lines.js";
import { compressContextName } from "../compaction/agent-request.js";
import type { ContextOptions } from "../options/context-options.js";
import { compactionValue, contextState, type CompactionState } from "../run/context-state.js";
import { compactionStateOf } from "../run/node-state.js";
import { resolveOptions, type ResolvedOptions } from "../options/resolve-options.js";
import { withModelStep } from "../run/model-step.js";
import { partsOf } from "../run/reply.js";
import { sizedForRun } from "../run/run-options.js";
import { lastReply, runTool } from "./hand-over-lane.js";
import { sentTools, takingNulls } from "../strict-tools.js";
import { callFitted } from "../retry/call-fitted.js";
import { compressContextToolFor } from "../tools/compress-context-tool.js";
import { fileTools } from "../tools/file-tools.js";
import { offloadOutput } from "../tools/offload-tools.js";
import { shownValue } from "../options/fields.js";
import { requireOptions } from "../options/require-options.js";

export interface ContextMiddlewareOptions extends Omit<ContextOptions, "inputKey" | "outputKey" | "tools"> {
  /**
   * Tools over the agent's files; an empty array leaves them out. @default `fileTools({ files })`, none with the host
   * `"deepagents"`
   */
  readonly fileTools?: readonly DynamicStructuredTool[];
  /**
   * `"deepagents"` takes the place of the summarization of `createDeepAgent`, keeps the thread whole as that does, and leaves
   * files and file tools to the agent's own backend; `archiveBackend` shows it the archive. @default "createAgent"
   */
  readonly host?: "createAgent" | "deepagents";
  /**
   * Tells the model of an error that a tool throws, as `createAgent` does without middleware around its tools; false ends the run.
   * @default true; false with the host `"deepagents"`, which ends the run
   */
  readonly handleToolErrors?: boolean;
}

/**
 * Returns the middleware that keeps a `createAgent` agent inside its window, on the same core as the nodes.
 *
 * It offloads large results before they enter the state, runs the ladder before each model call, compacts and retries after an
 * overflow, removes reasoning that the provider refuses and retries, and with `agentControlled` adds `compress_context`.
 * The context window is `contextWindow`, or what the profile of the agent's own model states at each model call, so that a
 * switch of the model counts. The window of the summary model has no effect.
 * The agent's own model also writes the summaries, unless `model` or `summaryModel` names another, or `"none"`.
 * @throws ContextError when an option cannot work. Only the first model call can tell `unknown-window`: the agent's model
 *   has no profile and no option gives the window.
 */
export function contextMiddleware(given: ContextMiddlewareOptions) {
  requireOptions(given, "contextMiddleware");
  const { fileTools: tools, host, handleToolErrors, ...rest } = given;
  const isDeepAgent = host === "deepagents";
  const isTold = handleToolErrors ?? !isDeepAgent;
  const options = { keepThread: isDeepAgent, ...rest };
  const resolved = agentOptions(options, resolveOptions);
  const ownTools = (tools ?? (isDeepAgent ? [] : fileTools(options))).map(takingNulls);
  return createMiddleware({
    // A middleware replaces the one of the same name in Deep Agents.
    name: isDeepAgent ? "SummarizationMiddleware" : "ContextMiddleware",
    // Deep Agents use the same key for files of another form.
    stateSchema: new StateSchema(
      (isDeepAgent ? { compaction: compactionValue } : contextState) as typeof contextState,
    ),

    async wrapModelCall(given, handler) {
      const { files: channel } = given.state as { readonly files?: unknown };
      if (!isDeepAgent && ownTools.some(isWriter)) requireOwnFiles(channel);
      requireOwnNames(ownTools, given.tools);
      const state = compactionStateOf(given.state);
      const sized = resolved.of(given.model, state, given.runtime);
      // What the call sends beside its messages is known, so it counts from the first call on.
      const { systemMessage } = given;
      const sent = await sentTools(toolsOf([...given.tools, ...ownTools], sized), given);
      const options = { ...sized, systemPrompt: systemMessage.text, systemMessage, tools: sent };
      const request = { ...given, tools: sent };
      return withModelStep(request, options, async (step) => {
        if (state?.contextWindow !== sized.contextWindow) step.note({ contextWindow: sized.contextWindow });
        step.frame = { systemMessage, tools: sent };
        const call = async (messages: BaseMessage[], compaction: CompactionState) => {
          const list = sized.agentControlled ? withContextBudget(messages, compaction) : messages;
          return handler({ ...request, messages: step.listed(list) });
        };
        const fitted = { step, options: sizedForRun(options, request.runtime), call, said: saidIn };
        return lastReply(await callFitted(fitted), rest.lane && step.known.lane);
      });
    },

    async wrapToolCall(request, handler) {
      const { state, runtime } = request;
      const sized = resolved.forTools(compactionStateOf(state));
      const known = sized && sizedForRun(sized, runtime);
      const call = ownCall(request, ownTools, known);
      const output = await runTool(call, handler, { lane: rest.lane, isTold });
      // The result of a tool with `returnDirect` is the agent's answer: the step before the next call offloads it.
      if (known === undefined || (!isDeepAgent && isDirect(call.tool))) return output;
      return offloadOutput(output, { ...runtime, state }, isDeepAgent ? beforeEviction(known) : known);
    },
  });
}

function saidIn(reply: Parameters<typeof partsOf>[0]): readonly BaseMessage[] {
  return partsOf(reply).said;
}

/**
 * Returns the options with which the archive takes what Deep Agents would put into the agent's own files: results over 20,000
 * tokens, which do not stay in their state. There the agent can change and delete them.
 */
function beforeEviction(options: ResolvedOptions): ResolvedOptions {
  if (!options.keepThread) return options;
  const offloadTokens = Math.max(options.offloadTokens, defaults.offloadTokens);
  return { ...options, offloadTokens, batchTokens: Infinity, keepThread: false };
}

const writers: ReadonlySet<string> = new Set(["write_file", "edit_file", "delete_file"]);

/** Returns true for a tool that writes to the channel `files`. */
function isWriter({ name }: DynamicStructuredTool): boolean {
  return writers.has(name);
}

/** Returns the request of a tool call with the tool of ours that it calls, or the request itself. */
function ownCall<Call extends ToolCallRequest>(
  request: Call,
  ownTools: readonly DynamicStructuredTool[],
  known: ResolvedOptions | undefined,
): Call {
  const { toolCall } = request;
  const isCompaction = known !== undefined && toolCall.name === compressContextName;
  const tool = isCompaction
    ? takingNulls(compressContextToolFor(known))
    : ownTools.find(({ name }) => name === toolCall.name);
  return tool === undefined ? request : { ...request, tool };
}

function isDirect(tool: unknown): boolean {
  return (tool as { readonly returnDirect?: unknown } | undefined)?.returnDirect === true;
}

/**
 * Refuses a channel `files` that the host has defined: `createAgent` keeps the host's definition, and a file tool would overwrite
 * its value. Checks one entry.
 */
function requireOwnFiles(files: unknown): void {
  const isRecord = typeof files === "object" && files !== null && !Array.isArray(files);
  const [entry] = isRecord ? (Object.values(files) as ({ readonly digest?: unknown } | null)[]) : [];
  if (files === undefined || (isRecord && (entry === undefined || typeof entry?.digest === "string"))) return;
  throw new ContextError(
    "bad-option",
    `The state of this agent has a channel "files" of its own, which holds ${shownValue(files)}. The file tools keep the ` +
      "agent's files in a channel of that name: rename yours, or pass fileTools: [] to contextMiddleware.",
  );
}

/**
 * Refuses file tools beside tools of the same names. The model call adds them, because `createAgent` would refuse registered ones
 * first, in the name of another middleware.
 */
function requireOwnNames(own: readonly DynamicStructuredTool[], others: ModelRequest["tools"]): void {
  const names = new Set(others.map(({ name }) => name));
  const taken = own.flatMap(({ name }) => (names.has(name) ? [name] : []));
  if (taken.length === 0) return;
  throw new ContextError(
    "bad-option",
    `This agent has tools of its own named ${taken.join(", ")}: pass host: "deepagents" to contextMiddleware in a deep agent, ` +
      "and fileTools: [] in another agent.",
  );
}

/** Returns the tools of a call; with `agentControlled`, `compress_context` is added. */
function toolsOf(tools: ModelRequest["tools"], options: ResolvedOptions): ModelRequest["tools"] {
  return options.agentControlled === true ? [...tools, takingNulls(compressContextToolFor(options))] : tools;
}
