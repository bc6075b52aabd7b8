import type { SystemMessage } from "@langchain/core/messages";
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
import type { NodeConfig } from "../run-config.js";
import type { ContextOptions, PlannerOptions, SummaryModel } from "./context-options.js";
import { countedAhead } from "./counted-ahead.js";
import { resolveLimits, type ResolvedLimits } from "./context-limits.js";
import { requireNative, type NativeCompactor } from "./native-compactor.js";
import { requireOptions } from "./require-options.js";

/** The options that depend on sizes. */
type ResolvedSizes = ResolvedLimits &
  Pick<ResolvedOptions, "contextWindow" | "maxPromptTokens" | "trigger" | "keep" | "maxMessages">;

/** A planner whose prices are known. */
export type PricedPlanner = PlannerOptions & { readonly prices: Prices };

/** Options with every default filled in. */
export interface ResolvedOptions
  extends Omit<ContextOptions, "summaryModel" | "planner" | "limits" | "settings">, ResolvedLimits {
  readonly planner?: PricedPlanner;
  /** Undefined if summaries are extracted. */
  readonly summaryModel?: SummaryModel;
  /** Asks the provider to compact, with `summaryModel: "native"`. */
  readonly compactNatively?: NativeCompactor;
  /** The system message of an agent's call as it is sent: its text is not all that reasoning is bound to. @default that of `systemPrompt` */
  readonly systemMessage?: SystemMessage;
  readonly contextWindow: number;
  /** Tokens that no prompt may exceed: the window, or Infinity if it is unknown and only triggers name a size. */
  readonly maxPromptTokens: number;
  readonly trigger: Trigger | readonly Trigger[];
  readonly keep: Keep | readonly Keep[];
  readonly tokenCounter: TokenCounter;
  readonly inputKey: string;
  readonly outputKey: string;
  readonly keepThread: boolean;
  readonly excludeTools: readonly string[];
  /** Messages that a compaction may leave, for a trigger that counts only messages; else Infinity. */
  readonly maxMessages: number;
  /** Returns the sizes of a run, with the option `settings`. Throws what `settings` throws, and for a bad value. */
  readonly sizesOf?: (config: NodeConfig | undefined) => ResolvedSizes;
}

/** Fewest tokens of a window in which a context can be kept at all. */
const minWindow = 256;

/** Refuses a window that is meant in thousands of tokens, and sizes that a window does not allow. */
function checkWithin({ agentTrigger, prepareAt }: ContextOptions, limits: PrepareLimits): void {
  const { contextWindow } = limits;
  if (agentTrigger !== undefined) checkTrigger("agentTrigger", agentTrigger, contextWindow);
  if (prepareAt !== undefined) checkPrepareAt(prepareAt, limits);
  if (contextWindow === undefined || contextWindow >= minWindow) return;
  const message = `contextWindow is ${contextWindow}: it is in tokens, ${contextWindow * 1_000} for ${contextWindow}k`;
  throw new ContextError("bad-option", message);
}

/**
 * Returns the options with their defaults, or refuses them.
 *
 * Called when a node, condition, tool or middleware is built, so that a bad option never fails in the middle of a run.
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function resolveOptions(options: ContextOptions): ResolvedOptions {
  const { summaryModel: _, planner, limits: __, minMessages = 0, settings, ...given } = options;
  const sizes = resolveSizes(options);
  const { markers } = options;
  if (markers !== undefined && typeof markers !== "function") checkMarkers(markers);
  if (options.pinFiles !== undefined) checkPinFiles(options.pinFiles);
  requireNotNegative("minMessages", minMessages);
  if (options.driftCalls !== undefined) requirePositive("driftCalls", options.driftCalls);
  const { excludeTools = [...fileToolNames, "unfold"], pinTools = [] } = options;
  return {
    ...given,
    ...summaryWriter(options),
    ...(planner === undefined ? {} : { planner: pricedPlanner(planner) }),
    ...sizes,
    ...(settings && { sizesOf: (config) => resolveSizes(withSettings(options, config)) }),
    minMessages,
    ...contextPlace(options),
    tokenCounter: countedAhead(options.tokenCounter ?? estimateTokens),
    excludeTools: [...excludeTools, ...pinTools],
  };
}

/** Returns the options with the sizes of a run in place of theirs. @throws what `settings` throws, and for a bad value. */
export function withSettings<Options extends ContextOptions>(
  options: Options,
  config: NodeConfig | undefined,
): Options {
  const settings = options.settings?.(config);
  if (settings === undefined) return options;
  requireOptions(settings, "settings");
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(given), limits: { ...options.limits, ...settings.limits } };
}

function resolveSizes(options: ContextOptions): ResolvedSizes {
  const contextWindow = options.contextWindow ?? options.model?.profile?.maxInputTokens;
  const automatic = options.agentControlled === true ? defaults.safetyTrigger : defaults.trigger;
  const { trigger = automatic, keep = defaults.keep, limits = {} } = options;
  checkOptions({ trigger, keep, contextWindow });
  checkWithin(options, { trigger, contextWindow });
  const window = contextWindow ?? windowOfTrigger(trigger);
  return {
    ...resolveLimits(limits, { window, trigger }),
    contextWindow: window,
    maxPromptTokens: contextWindow ?? Infinity,
    // As with tokens, a compaction leaves room below the trigger: else the user's messages alone would meet it at every step.
    maxMessages: Math.floor(defaults.targetFraction * triggerMessages(trigger)),
    trigger,
    keep,
  };
}

/** Returns who writes the summaries; nobody with `"none"`, or without a model. */
function summaryWriter(options: ContextOptions): Pick<ResolvedOptions, "summaryModel" | "compactNatively"> {
  const { summaryModel = options.model } = options;
  if (summaryModel === undefined || summaryModel === "none") return {};
  if (summaryModel !== "native") return { summaryModel };
  const compactNatively = requireNative(options);
  return { compactNatively, ...(options.model && { summaryModel: options.model }) };
}

/** Returns where the thread and the context are in the state. @throws ContextError `bad-option` */
export function contextPlace({
  inputKey = "messages",
  outputKey = inputKey,
  keepThread = false,
}: Pick<ContextOptions, "inputKey" | "outputKey" | "keepThread">) {
  if (keepThread && outputKey !== inputKey)
    throw new ContextError(
      "bad-option",
      `keepThread is true and outputKey is ${JSON.stringify(outputKey)}: give one of them, because both say where the context is`,
    );
  return { inputKey, outputKey, keepThread };
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
const fileToolNames = [
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
