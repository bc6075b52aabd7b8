import type { BaseMessage } from "@langchain/core/messages";
import { ContextError, defaults, estimateTokens, type TokenCounter } from "@palimpsest/context";
import { checkPinFiles, requirePositive } from "@palimpsest/context/internal";
import { paceDefaults } from "@palimpsest/context/selection";
import type { VirtualFilesystem } from "@palimpsest/vfs";
import { requireWhole, resolvePace, type PaceOptions, type ResolvedPace } from "./pace/pace-options.js";
import type { SummaryModel } from "../options/context-options.js";
import type { ContextEvent } from "../context-event.js";
import { requireInterval, type RewriteInterval } from "../epochs/rewrite-interval.js";
import { namedLimits, type ContextLimits } from "../options/context-limits.js";
import { countedAhead } from "../options/counted-ahead.js";
import { shownValue } from "../options/fields.js";
import { contextPlace } from "../options/resolve-options.js";

/** Options of `predictiveContextNode`, `predictiveContextMiddleware` and `explainContext`. */
export interface PredictiveContextOptions extends PaceOptions {
  /** Archives every step before it leaves the context. */
  readonly files: VirtualFilesystem;
  /**
   * Tokens that the messages of a prompt may take, by `tokenCounter`. Exceeded only if the shortest form of what must be sent
   * is larger, which an event reports. @default half of `contextWindow`
   */
  readonly budget?: number;
  /** Tokens of the agent's context window. @default `maxInputTokens` of the profile of `model` */
  readonly contextWindow?: number;
  /** `reuse` selects the lines that the next call will probably use; `pace` is the published method. @default "reuse" */
  readonly policy?: "reuse" | "pace";
  /**
   * Share of the budget that a new selection takes, above 0 and at most 1. The selection stays until the budget is full, and
   * its beginning longer if that pays. 1 makes a new selection at each step. @default 0.92, with `pace` 1
   */
  readonly targetFraction?: number;
  /** First selection: once the thread is over the budget, or at the first step. @default "budget" */
  readonly from?: "start" | "budget";
  /**
   * Steps between two selections, or `{ share }`: the share of the budget that new steps take between them. New steps are
   * appended until then. A selection leaves room for them, up to half of the budget; a context over the budget is selected at
   * once. @default 1, and 8 while the newest messages have reasoning, which each selection invalidates
   */
  readonly every?: RewriteInterval;
  /** Newest steps that stay whole if they fit; with `pace` also part of the query (N). @default 2 */
  readonly wholeSteps?: number;
  /** Counts the tokens of messages. @default estimateTokens */
  readonly tokenCounter?: TokenCounter;
  /** Returns true for a message that stays whole, with its step, as one marked by `pin` does. @default none */
  readonly pin?: (message: BaseMessage) => boolean;
  /** Tools whose calls stay whole, with their results. @default none */
  readonly pinTools?: readonly string[];
  /** Paths and globs of files: the newest calls for them stay whole, with their results. @default none */
  readonly pinFiles?: readonly string[];
  /** `pinnedFiles`: tokens, by default a tenth of `budget`. `summaryMs`: milliseconds of one summary call, by default 120,000. */
  readonly limits?: Pick<ContextLimits, "pinnedFiles" | "summaryMs">;
  /** State key with the thread's messages. @default "messages" */
  readonly inputKey?: string;
  /** State key that receives the context. A key other than `inputKey` leaves the thread whole. @default `inputKey` */
  readonly outputKey?: string;
  /** Leaves `inputKey` whole, with the context beside it in the channel `compaction`. Not with an `outputKey`. @default false */
  readonly keepThread?: boolean;
  /** Tokens of old lines that excerpts are chosen from. @default 256,000 */
  readonly candidateTokens?: number;
  /**
   * Tokens of all threads that the process keeps indexed, about 100 bytes of memory each; of one thread at most
   * `candidateTokens`. Over it, the least recently used threads are dropped, and indexed again when they run again.
   * @default 800,000
   */
  readonly cacheTokens?: number;
  /**
   * Writes summaries in the background: with `reuse` of ranges of old steps, of ranges of ranges, and so on; with `pace` of
   * single steps. Without a model, a range is shown as its path and excerpts, and with `pace` the shorter forms of a step are
   * cut from its text. A small model is enough. @default none
   */
  readonly model?: SummaryModel;
  /** Writes the summaries in place of `model`; its window has no effect on the budget. @default `model` */
  readonly summaryModel?: SummaryModel;
  /** With `pace`: steps that are summarized at the same time. @default 2 */
  readonly summaryConcurrency?: number;
  /** What a failed selection does: the messages stay unchanged, or the error is thrown. @default "continue" */
  readonly onError?: "continue" | "throw";
  /**
   * Tool calls in a row that share no word with the first and the newest message of the user and the newest plan, after which the
   * event `context.drift` says so. 12 is a good start. @default none: nobody watches
   */
  readonly driftCalls?: number;
  /** Called with every event. Errors that it throws are ignored. */
  readonly onEvent?: (event: ContextEvent) => void;
}

/** Options with every default filled in. */
export interface ResolvedPredictive extends Omit<PredictiveContextOptions, keyof ResolvedPace>, ResolvedPace {
  readonly budget: number;
  /** The budget: a context over it is never sent whole. */
  readonly maxPromptTokens: number;
  readonly policy: "reuse" | "pace";
  readonly targetFraction: number;
  readonly from: "start" | "budget";
  readonly wholeSteps: number;
  readonly tokenCounter: TokenCounter;
  readonly inputKey: string;
  readonly outputKey: string;
  readonly keepThread: boolean;
  readonly candidateTokens: number;
  readonly cacheTokens: number;
  readonly pinFileTokens: number;
  readonly summaryTimeoutMs: number;
  readonly summaryConcurrency: number;
}

/** Defaults of this package; the others are those of `@palimpsest/context`. */
const ownDefaults = { targetFraction: 0.92, summaryConcurrency: 2, cacheTokens: 800_000 };

/**
 * Returns the options with their defaults, or refuses them.
 *
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function resolvePredictive(options: PredictiveContextOptions): ResolvedPredictive {
  const { policy = "reuse", from = "budget", wholeSteps = paceDefaults.recent } = options;
  const { summaryConcurrency = ownDefaults.summaryConcurrency, limits = {} } = options;
  const sizes = sizesOf(options);
  const { budget, targetFraction } = sizes;
  for (const [name, value] of Object.entries(sizes)) requirePositive(name, value);
  requireWhole("wholeSteps", wholeSteps);
  if (options.pinFiles !== undefined) checkPinFiles(options.pinFiles);
  if (options.driftCalls !== undefined) requirePositive("driftCalls", options.driftCalls);
  requireInterval(options.every);
  requireWhole("summaryConcurrency", summaryConcurrency);
  if (targetFraction > 1)
    throw bad(`targetFraction is ${targetFraction}`, "use a share above 0 and at most 1");
  const model = options.summaryModel ?? options.model;
  return {
    ...options,
    ...(model === undefined ? {} : { model }),
    ...resolvePace(options),
    ...sizes,
    pinFileTokens: budget / 10,
    summaryTimeoutMs: defaults.summaryTimeoutMs,
    ...namedLimits(limits),
    maxPromptTokens: budget,
    policy,
    from,
    wholeSteps,
    summaryConcurrency,
    tokenCounter: countedAhead(cachedCounter(options.tokenCounter ?? estimateTokens)),
    ...contextPlace(options),
  };
}

function sizesOf(options: PredictiveContextOptions) {
  const budget = budgetOf(options);
  const { targetFraction = options.policy === "pace" ? 1 : ownDefaults.targetFraction } = options;
  const { candidateTokens = defaults.candidateTokens, cacheTokens = ownDefaults.cacheTokens } = options;
  return { budget, targetFraction, candidateTokens, cacheTokens };
}

/** Returns the counter with a cache by message, so that a step counts only what it adds. */
function cachedCounter(counter: TokenCounter): TokenCounter {
  const cache = new WeakMap<BaseMessage, number>();
  return function countMessages(messages, parts) {
    let tokens = parts === undefined ? 0 : counter([], parts);
    for (const message of messages) {
      const counted: unknown = cache.get(message) ?? counter([message]);
      if (counted instanceof Promise) counted.catch(() => undefined);
      if (typeof counted !== "number")
        throw bad(
          `tokenCounter returned ${shownValue(counted)}`,
          "return the number of tokens, not a promise",
        );
      cache.set(message, counted);
      tokens += counted;
    }
    return tokens;
  };
}

function budgetOf({ budget, contextWindow, model }: PredictiveContextOptions): number {
  const window = contextWindow ?? model?.profile?.maxInputTokens;
  const tokens = budget ?? (window === undefined ? undefined : window / 2);
  if (tokens !== undefined) return tokens;
  const way = "pass budget (tokens), contextWindow, or a model whose profile has maxInputTokens";
  throw new ContextError("unknown-window", `The budget of the context is unknown: ${way}`);
}

function bad(what: string, way: string): ContextError {
  return new ContextError("bad-option", `${what}: ${way}`);
}
