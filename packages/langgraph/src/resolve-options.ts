import {
  asTriggers,
  checkOptions,
  checkTrigger,
  ContextError,
  defaults,
  estimateTokens,
  requireNotNegative,
  requirePositive,
  type Keep,
  type TokenCounter,
  type Trigger,
} from "@palimpsest/context";
import { checkPlanner } from "./compaction/check-planner.js";
import { checkPrepareAt } from "./compaction/check-prepare-at.js";
import type { ContextOptions } from "./context-options.js";
import { requireFiles } from "./require-files.js";
import { fileToolNames } from "./tools/file-tool-names.js";

/** Options with every default filled in. */
export interface ResolvedOptions extends ContextOptions {
  readonly contextWindow: number;
  readonly trigger: Trigger | readonly Trigger[];
  readonly keep: Keep;
  readonly tokenCounter: TokenCounter;
  readonly inputKey: string;
  readonly outputKey: string;
  readonly offloadTokens: number;
  readonly batchTokens: number;
  readonly excludeTools: readonly string[];
  readonly userTokens: number;
  readonly summaryTimeoutMs: number;
  readonly excerptTokens: number;
  readonly verbatimTokens: number;
}

/**
 * Returns the options with their defaults, or refuses them.
 *
 * Called when a node, condition, tool or middleware is built, so that a bad option never shows in the middle of a run.
 * @throws ContextError `bad-option` or `unknown-window`, naming the value and the way out.
 */
export function resolveOptions(options: ContextOptions): ResolvedOptions {
  requireFiles(options.files);
  const contextWindow = options.contextWindow ?? options.model?.profile?.maxInputTokens;
  const automatic = options.agentControlled === true ? defaults.safetyTrigger : defaults.trigger;
  const { trigger = automatic, keep = defaults.keep, inputKey = "messages" } = options;
  checkOptions({ trigger, keep, contextWindow });
  if (options.agentTrigger !== undefined) checkTrigger("agentTrigger", options.agentTrigger, contextWindow);
  if (options.planner !== undefined) checkPlanner(options.planner);
  if (options.prepareAt !== undefined) checkPrepareAt(options.prepareAt, { trigger, contextWindow });
  const window = contextWindow ?? windowOfTrigger(trigger);
  const { offloadTokens = defaults.offloadTokens } = options;
  const { batchTokens = Math.floor(defaults.batchFraction * window) } = options;
  const { userTokens = Math.min(defaults.userTokens, Math.floor(window / 4)) } = options;
  const { inputCharacters = defaults.inputCharacters, previewLines = defaults.previewLines } = options;
  const { summaryTimeoutMs = defaults.summaryTimeoutMs } = options;
  const { excerptTokens = Math.min(defaults.excerptTokens, Math.floor(window / 16)) } = options;
  const { verbatimTokens = Math.floor(window / 20) } = options;
  for (const [name, value] of Object.entries({
    excerptTokens,
    verbatimTokens,
    minMessages: options.minMessages ?? 0,
  })) {
    requireNotNegative(name, value);
  }
  const limits = { offloadTokens, batchTokens, userTokens, inputCharacters, previewLines, summaryTimeoutMs };
  for (const [name, value] of Object.entries(limits)) requirePositive(name, value);
  return {
    ...options,
    contextWindow: window,
    trigger,
    keep,
    inputKey,
    outputKey: options.outputKey ?? inputKey,
    tokenCounter: options.tokenCounter ?? estimateTokens,
    offloadTokens,
    batchTokens,
    excludeTools: [...(options.excludeTools ?? [...fileToolNames, "unfold"]), ...(options.pinTools ?? [])],
    userTokens,
    summaryTimeoutMs,
    excerptTokens,
    verbatimTokens,
  };
}

/** Without a known window, the largest number of tokens that the triggers name stands for it. */
function windowOfTrigger(trigger: Trigger | readonly Trigger[]): number {
  const tokens = asTriggers(trigger).flatMap((one) => one.tokens ?? []);
  if (tokens.length > 0) return Math.max(...tokens);
  throw new ContextError(
    "unknown-window",
    "The context window is unknown and no trigger is in tokens: pass contextWindow (tokens) " +
      "or a model whose profile has maxInputTokens",
  );
}
