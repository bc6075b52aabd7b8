import { isAi } from "@palimpsest/context/internal";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import type { ContextOptions, SummaryModel } from "./context-options.js";
import type { CompactionState } from "./context-state.js";
import { writeState } from "./node-state.js";
import { threadIdOf, type NodeConfig } from "./run-config.js";

/** Window, in tokens, that options are checked against before the agent's model is known: every limit is below it. */
const assumedWindow = Number.MAX_SAFE_INTEGER;

/** Resolved options of a middleware for each context window that the agent's model may have. */
export interface AgentOptions<Resolved> {
  /** Returns the options for the window that the thread's state holds; undefined before the first model call. */
  known(state: CompactionState | undefined, config: NodeConfig): Resolved | undefined;
  /** Returns the same for a tool call, which writes no summary: also in a process that has not called the thread's model yet. */
  forTools(state: CompactionState | undefined): Resolved | undefined;
  /**
   * Returns the options for the model of a request.
   * @throws ContextError `unknown-window` when neither the model's profile nor an option gives the window.
   */
  of(model: unknown, state: CompactionState | undefined, config: NodeConfig): Resolved;
}

/**
 * Returns the options of a middleware, which depend on the window of the agent's own model.
 *
 * `contextWindow` comes first, then the profile of the request's model, then the window that the state holds, then
 * what the options of a node would give: `model.profile`, or a trigger in tokens. `createAgent` shows its model only to a model
 * call, so the first call finds the window and the state keeps it for the hooks before the next one. If the agent switches to a
 * model with whose window the options cannot work, the earlier window stays.
 *
 * If no option names a model, the model of the thread's newest call writes its summaries; never that of another thread, which
 * may have another user's keys. A process that does not know the model of a thread yet compacts in its next call.
 * @throws ContextError when an option cannot work with any window.
 */
export function agentOptions<Options extends ContextOptions, Resolved extends object>(
  given: Options,
  resolve: (options: Options) => Resolved,
): AgentOptions<Resolved> {
  const sized = sizedOptions(given, resolve);
  if (given.model !== undefined || given.summaryModel !== undefined) return sized;
  const models = new Map<string, SummaryModel>();
  return {
    forTools: (state) => sized.forTools(state),
    known(state, config) {
      const summaryModel = models.get(threadIdOf(config, state?.scope) ?? "");
      const known = summaryModel && sized.known(state, config);
      return known && { ...known, summaryModel };
    },
    of(model, state, config) {
      const summaryModel = model as SummaryModel;
      const threadId = threadIdOf(config, state?.scope);
      if (threadId !== undefined) remember(models, threadId, summaryModel);
      return { ...sized.of(model, state, config), summaryModel };
    },
  };
}

/** Threads whose models are remembered. */
const maxThreads = 1_000;

/** Adds a model as the newest, and drops the least recently called one. */
function remember(models: Map<string, SummaryModel>, threadId: string, model: SummaryModel): void {
  models.delete(threadId);
  models.set(threadId, model);
  const [oldest] = models.keys();
  if (models.size > maxThreads && oldest !== undefined) models.delete(oldest);
}

function sizedOptions<Options extends ContextOptions, Resolved>(
  options: Options,
  resolve: (options: Options) => Resolved,
): AgentOptions<Resolved> {
  if (options.contextWindow !== undefined) {
    const resolved = resolve(options);
    return { known: () => resolved, forTools: () => resolved, of: () => resolved };
  }
  resolve({ ...options, contextWindow: assumedWindow });
  const byWindow = new Map<number | undefined, Resolved>();
  function resolvedFor(window: number | undefined): Resolved {
    const resolved =
      byWindow.get(window) ?? resolve(window === undefined ? options : { ...options, contextWindow: window });
    byWindow.set(window, resolved);
    return resolved;
  }
  const known = (state: CompactionState | undefined) =>
    state?.contextWindow === undefined ? undefined : resolvedFor(state.contextWindow);
  return {
    known,
    forTools: known,
    of(model, state) {
      const before = state?.contextWindow;
      try {
        return resolvedFor(windowOfModel(model) ?? before);
      } catch (error) {
        if (before === undefined) throw error;
        return resolvedFor(before);
      }
    },
  };
}

interface ProfiledModel {
  readonly profile?: { readonly maxInputTokens?: unknown } | undefined;
  /** The model inside a binding (`withConfig`, `bindTools`), which has no profile of its own. */
  readonly bound?: unknown;
}

/** Returns the context window that a model's profile states, in tokens, or undefined. */
function windowOfModel(model: unknown): number | undefined {
  if (typeof model !== "object" || model === null) return undefined;
  const { profile, bound } = model as ProfiledModel;
  const window = profile?.maxInputTokens;
  return typeof window === "number" && window > 0 ? window : windowOfModel(bound);
}

/** What `createAgent` hands to a middleware as the model's reply. */
type AgentReply = AIMessage | { readonly messages: BaseMessage[]; readonly structuredResponse: unknown };

/**
 * Returns the messages of a model's reply and, for structured output, the update that keeps it.
 *
 * `createAgent` returns structured output beside the messages, and does not add it to a command.
 */
export function partsOf(reply: AgentReply): {
  readonly said: readonly BaseMessage[];
  readonly structured: { readonly structuredResponse?: unknown };
} {
  if (!("structuredResponse" in reply)) return { said: [reply], structured: {} };
  const { messages: said, structuredResponse } = reply;
  return { said, structured: { structuredResponse } };
}

interface ReplyUpdate {
  /** Messages that take the place of those with the same ids. Even without any, they say that the state's have changed. */
  readonly messages?: readonly BaseMessage[] | undefined;
  readonly compaction?: CompactionState | undefined;
}

/**
 * Returns what a middleware answers a model call with, so that the update reaches the state: the reply itself wherever
 * possible, because other middleware goes on with it.
 *
 * Beside structured output `createAgent` writes all messages as the node has read them, over what has changed of them. There
 * the answer is a command with the output, and with the messages behind the model's own, which is the only one that the host
 * adds: for structured output by a tool call they are the result of that call and a closing message.
 */
export function answerWith(
  reply: AgentReply,
  { messages, compaction }: ReplyUpdate,
  config: NodeConfig,
): AIMessage | Command {
  const { said, structured } = partsOf(reply);
  const isReplied = messages === undefined || !("structuredResponse" in structured);
  const changes = compaction === undefined ? {} : { compaction };
  const changed = messages === undefined || messages.length === 0 ? {} : { messages: [...messages] };
  const update = { ...changed, ...changes };
  if (isReplied && (Object.keys(update).length === 0 || writeState(update, config)))
    return reply as AIMessage;
  const added = [...(messages ?? []), ...said.slice(said.findIndex(isAi) + 1)];
  return new Command({
    update: { ...structured, ...changes, ...(added.length === 0 ? {} : { messages: added }) },
  });
}
