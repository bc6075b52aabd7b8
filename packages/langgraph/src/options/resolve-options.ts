import {
  checkOptions,
  checkPrices,
  ContextError,
  defaults,
  estimateTokens,
  type Keep,
  type Prices,
  type TokenCounter,
  type Trigger,
} from "@palimpsest/context";
import {
  asTriggers,
  checkMarkers,
  checkPinFiles,
  checkTrigger,
  requireNotNegative,
  requirePositive,
  triggerTokens,
  typicalPrices,
} from "@palimpsest/context/internal";
import type { ContextOptions, PlannerOptions, SummaryModel } from "./context-options.js";
import { countedAhead } from "./counted-ahead.js";
import { checkNative } from "./native-compactor.js";

/** A planner whose prices are known. */
export type PricedPlanner = PlannerOptions & { readonly prices: Prices };

/** Options with every default filled in. */
export interface ResolvedOptions extends Omit<ContextOptions, "summaryModel" | "planner"> {
  readonly planner?: PricedPlanner;
  /** Undefined if summaries are extracted. */
  readonly summaryModel?: SummaryModel;
  readonly contextWindow: number;
  /** Tokens that no prompt may exceed: the window, or Infinity if it is unknown and only triggers name a size. */
  readonly maxPromptTokens: number;
  readonly trigger: Trigger | readonly Trigger[];
  readonly keep: Keep;
  readonly tokenCounter: TokenCounter;
  readonly inputKey: string;
  readonly outputKey: string;
  readonly offloadTokens: number;
  readonly batchTokens: number;
  readonly excludeTools: readonly string[];
  readonly userTokens: number;
  /** Messages that a compaction may leave, for a trigger that counts only messages; else Infinity. */
  readonly maxMessages: number;
  readonly userLineTokens: number;
  readonly summaryTimeoutMs: number;
  readonly summaryTokens: number;
  readonly excerptTokens: number;
  readonly verbatimTokens: number;
  readonly pinFileTokens: number;
}

/**
 * Returns the options with their defaults, or refuses them.
 *
 * Called when a node, condition, tool or middleware is built, so that a bad option never fails in the middle of a run.
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function resolveOptions(options: ContextOptions): ResolvedOptions {
  const contextWindow = options.contextWindow ?? options.model?.profile?.maxInputTokens;
  const { summaryModel: named, planner, ...given } = options;
  const summaryModel = named === "none" ? undefined : (named ?? options.model);
  const automatic = options.agentControlled === true ? defaults.safetyTrigger : defaults.trigger;
  const { trigger = automatic, keep = defaults.keep, inputKey = "messages" } = options;
  checkOptions({ trigger, keep, contextWindow });
  if (options.agentTrigger !== undefined) checkTrigger("agentTrigger", options.agentTrigger, contextWindow);
  const { markers } = options;
  if (markers !== undefined && typeof markers !== "function") checkMarkers(markers);
  if (options.pinFiles !== undefined) checkPinFiles(options.pinFiles);
  if (options.prepareAt !== undefined) checkPrepareAt(options.prepareAt, { trigger, contextWindow });
  checkNative(options);
  if (options.summaryInputTokens !== undefined) {
    requirePositive("summaryInputTokens", options.summaryInputTokens);
  }
  const window = contextWindow ?? windowOfTrigger(trigger);
  const { excludeTools = [...fileToolNames, "unfold"], pinTools = [] } = options;
  return {
    ...given,
    ...(summaryModel === undefined ? {} : { summaryModel }),
    ...(planner === undefined ? {} : { planner: pricedPlanner(planner) }),
    ...sizesOf(options, { window, trigger }),
    contextWindow: window,
    maxPromptTokens: contextWindow ?? Infinity,
    // As with tokens, a compaction leaves room below the trigger: else the user's messages alone would meet it at every step.
    maxMessages: Math.floor(defaults.targetFraction * triggerMessages(trigger)),
    trigger,
    keep,
    inputKey,
    outputKey: options.outputKey ?? inputKey,
    tokenCounter: countedAhead(options.tokenCounter ?? estimateTokens),
    excludeTools: [...excludeTools, ...pinTools],
  };
}

interface Bounds {
  readonly window: number;
  readonly trigger: Trigger | readonly Trigger[];
}

/**
 * Returns the options that are sizes, with their defaults for a window. @throws ContextError `bad-option`
 *
 * The sizes that stay after a compaction are shares of the window for which the trigger would be the default. As shares of the
 * real window, they could fill the context up to a lower trigger, so that no compaction would free anything.
 */
function sizesOf(options: ContextOptions, { window, trigger }: Bounds) {
  const lowest = triggerTokens(trigger, window) ?? Infinity;
  const room = Math.min(window, Math.round(lowest / defaults.trigger.fraction));
  const { offloadTokens = defaults.offloadTokens } = options;
  const { batchTokens = Math.floor(defaults.batchFraction * window) } = options;
  const { userTokens = Math.min(defaults.userTokens, Math.floor(room / 4)) } = options;
  const { userLineTokens = Math.min(defaults.userLineTokens, Math.floor(room / 8)) } = options;
  const { inputCharacters = defaults.inputCharacters, previewLines = defaults.previewLines } = options;
  const { summaryTimeoutMs = defaults.summaryTimeoutMs, minMessages = 0 } = options;
  const { summaryTokens = Math.min(defaults.summaryTokens, Math.ceil(room / 10)) } = options;
  const { excerptTokens = Math.min(defaults.excerptTokens, Math.floor(room / 16)) } = options;
  const { verbatimTokens = Math.floor(room / 20), pinFileTokens = Math.floor(window / 10) } = options;
  const counts = { excerptTokens, userLineTokens, verbatimTokens, pinFileTokens, minMessages };
  for (const [name, value] of Object.entries(counts)) requireNotNegative(name, value);
  const lengths = { userTokens, inputCharacters, previewLines, summaryTokens };
  const limits = { ...lengths, offloadTokens, batchTokens, summaryTimeoutMs };
  for (const [name, value] of Object.entries(limits)) requirePositive(name, value);
  return { ...counts, ...limits };
}

/** Returns the largest number of tokens among the triggers, in place of an unknown window. */
function windowOfTrigger(trigger: Trigger | readonly Trigger[]): number {
  const tokens = asTriggers(trigger).flatMap((one) => one.tokens ?? []);
  if (tokens.length > 0) return Math.max(...tokens);
  throw new ContextError(
    "unknown-window",
    "The context window is unknown and no trigger is in tokens: pass contextWindow (tokens) " +
      "or a model whose profile has maxInputTokens",
  );
}

/** Returns the fewest messages that meet a trigger, whatever their tokens; Infinity if no trigger counts only messages. */
export function triggerMessages(trigger: Trigger | readonly Trigger[]): number {
  const counted = asTriggers(trigger).filter(({ tokens, fraction }) => (tokens ?? fraction) === undefined);
  return Math.min(...counted.map(({ messages = Infinity }) => messages));
}

/** Returns a share of the trigger, or of the window if that is smaller, in tokens of the whole prompt. */
export function triggerSize({ trigger, contextWindow }: ResolvedOptions, fraction: number): number {
  return fraction * Math.min(contextWindow, triggerTokens(trigger, contextWindow) ?? Infinity);
}

/** Names of the tools that read files and the archive. They limit their own results. */
export const fileToolNames = [
  "ls",
  "read_file",
  "write_file",
  "edit_file",
  "delete_file",
  "glob",
  "grep",
  "search_history",
] as const;

/** Returns a planner with its prices. @throws ContextError `bad-option`, naming the value and the way out. */
function pricedPlanner(planner: PlannerOptions): PricedPlanner {
  const { prices = typicalPrices, summaryPrices, cacheSeconds, rereadTokens, remainingSteps } = planner;
  checkPrices("planner.prices", prices);
  if (summaryPrices !== undefined) checkPrices("planner.summaryPrices", summaryPrices);
  if (cacheSeconds !== undefined) requirePositive("planner.cacheSeconds", cacheSeconds);
  if (rereadTokens !== undefined) requireNotNegative("planner.rereadTokens", rereadTokens);
  if (typeof remainingSteps === "number") requireNotNegative("planner.remainingSteps", remainingSteps);
  return { ...planner, prices };
}

interface PrepareLimits {
  readonly trigger: Trigger | readonly Trigger[];
  readonly contextWindow: number | undefined;
}

/**
 * Refuses a `prepareAt` at which no summary can be prepared. @throws ContextError `bad-option`, naming the value and the way
 * out.
 */
function checkPrepareAt(prepareAt: number, { trigger, contextWindow }: PrepareLimits): void {
  const bad = (way: string) => new ContextError("bad-option", `prepareAt is ${prepareAt}: ${way}`);
  if (!(prepareAt > 0 && prepareAt < 1)) throw bad("use a share of the window above 0 and below 1");
  if (contextWindow === undefined) throw bad("pass contextWindow (tokens): prepareAt is a share of it");
  const limit = triggerTokens(trigger, contextWindow);
  if (limit !== undefined && prepareAt * contextWindow >= limit) {
    throw bad(`use a share below the trigger, which is met at ${limit} of ${contextWindow} tokens`);
  }
}
