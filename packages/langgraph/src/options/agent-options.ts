import type { ContextOptions, SummaryModel } from "./context-options.js";
import { threadIdOf, type NodeConfig } from "../run-config.js";
import { setNewest } from "../set-newest.js";

/** Window, in tokens, that options are checked against before the agent's model is known: every limit is below it. */
const assumedWindow = Number.MAX_SAFE_INTEGER;

/** The fields of the state of compaction that say which model a thread had. */
interface KnownWindow {
  readonly contextWindow?: number;
  readonly scope?: string;
}

/** Resolved options of a middleware for each context window that the agent's model may have. */
export interface AgentOptions<Resolved> {
  /** Returns the options for the window that the thread's state holds; undefined before the first model call. */
  known(state: KnownWindow | undefined, config: NodeConfig): Resolved | undefined;
  /** Returns the same for a tool call, which writes no summary: also in a process that has not called the thread's model yet. */
  forTools(state: KnownWindow | undefined): Resolved | undefined;
  /**
   * Returns the options for the model of a request.
   * @throws ContextError `unknown-window` when neither the model's profile nor an option gives the window.
   */
  of(model: unknown, state: KnownWindow | undefined, config: NodeConfig): Resolved;
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
      if (threadId !== undefined) setNewest(models, [threadId, summaryModel], maxThreads);
      return { ...sized.of(model, state, config), summaryModel };
    },
  };
}

/** Threads whose models are remembered. */
const maxThreads = 1_000;

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
  const known = (state: KnownWindow | undefined) =>
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
