import type { BaseMessage } from "@langchain/core/messages";
import { readMessages } from "../messages/provider/native-compaction.js";
import type { PromptParts, TokenCounter } from "./token-counter.js";
import { tokensAtMost } from "./upper-bound.js";
import {
  growthOf,
  hasOtherModel,
  newestAnchor,
  reportedInput,
  wholeInput,
  type Anchor,
} from "./usage-anchors.js";

export interface MeasureOptions extends PromptParts {
  readonly tokenCounter: TokenCounter;
  /** Overhead tokens (system prompt, tool schemas) from an earlier measurement. @default 0 */
  readonly overheadTokens?: number | undefined;
  /** Provider tokens per token of the counter, from an earlier measurement. @default 1 */
  readonly tokenRatio?: number | undefined;
  /** Id of the newest message at the time of the last unfold: usage reported up to it is out of date. */
  readonly unfoldedAt?: string | undefined;
}

export interface ContextMeasure {
  /** Tokens of the next prompt: all messages plus the known overhead. */
  readonly tokens: number;
  /** Tokens of the prompt besides the messages: system prompt, tool schemas and the like. */
  readonly overheadTokens: number;
  /** Provider tokens per token of the counter, 0.5 to 2. Multiply counts of messages by it. */
  readonly tokenRatio: number;
  /** `usage`: the usage that the provider reported plus an estimate of the later messages. */
  readonly source: "usage" | "estimate";
}

/** Bounds of the token ratio: a larger deviation is overhead. */
const minRatio = 0.5;
const maxRatio = 2;
/** Minimum tokens of messages for a ratio: below it, the ratio is mostly noise. */
const minRatioTokens = 1_000;
/** Tokens by which one call may pass the bounds: beyond, it grew by something that the counter does not see. */
const jumpTokens = 2_000;

/**
 * Measures the next prompt.
 *
 * Starts from the newest usage that a provider reported for a prompt that is still a prefix of this one. Ignores usage
 * from before a fold, because the messages that it counted have been replaced, and the usage of a reply in which the
 * provider compacted. Does not count what such a compaction covers. Separates the provider's deviation from
 * the counter (`tokenRatio`) from the overhead (`overheadTokens`). Pure.
 */
export function measureContext(all: readonly BaseMessage[], options: MeasureOptions): ContextMeasure {
  const messages = readMessages(all);
  const { tokenCounter } = options;
  const known = { overheadTokens: overheadOf(options), tokenRatio: options.tokenRatio ?? 1 };
  const total = tokenCounter(messages);
  const { index, outdating } = newestAnchor(messages, options.unfoldedAt);
  if (index < 0) {
    return {
      ...known,
      tokens: known.overheadTokens + Math.ceil(known.tokenRatio * total),
      source: "estimate",
    };
  }
  const input = reportedInput(messages[index]);
  const after = tokenCounter(messages.slice(index));
  const newest = { input: wholeInput(messages[index]), counted: total - after };
  const growth = growthOf(messages, { newest: index, outdating, tokenCounter });
  const isNewModel = hasOtherModel(messages, index);
  const tokenRatio = ratioOf(newest, { ...known, growth, isNewModel });
  return {
    tokens: input + Math.ceil(tokenRatio * after),
    overheadTokens: Math.max(0, Math.floor(newest.input - tokenRatio * newest.counted)),
    tokenRatio,
    source: "usage",
  };
}

/**
 * Returns an upper bound of the tokens that {@link measureContext} measures. Fast, for steps far from every limit: counts only
 * messages after the reported usage, and without usage none if the counter has a `maxPerCharacter`. Pure.
 */
export function measureAtMost(all: readonly BaseMessage[], options: MeasureOptions): number {
  const messages = readMessages(all);
  const { tokenCounter, tokenRatio = 1 } = options;
  const { index } = newestAnchor(messages, options.unfoldedAt);
  if (index < 0) {
    const total = tokensAtMost(messages, tokenCounter) ?? tokenCounter(messages);
    return overheadOf(options) + Math.ceil(tokenRatio * total);
  }
  const after = tokenCounter(messages.slice(index));
  return reportedInput(messages[index]) + Math.ceil(Math.max(maxRatio, tokenRatio) * after);
}

function overheadOf({ tokenCounter, systemPrompt, tools, overheadTokens = 0 }: MeasureOptions): number {
  const parts = {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tools === undefined ? {} : { tools }),
  };
  return Math.max(overheadTokens, tokenCounter([], parts));
}

interface Known {
  readonly overheadTokens: number;
  readonly tokenRatio: number;
  readonly growth: readonly Anchor[];
  /** True if another model reported usage before: the known overhead and ratio may be those of that model. */
  readonly isNewModel: boolean;
}

/**
 * Computes the ratio from the growth of the prompts, or from one prompt and the known overhead. When no overhead is
 * known, the whole difference counts as a ratio: as overhead it could not be folded, and no compaction would run.
 *
 * Another model has another vocabulary, which changes the count of the system prompt and tools as well as the messages: one
 * prompt of the new model scales the ratio, and the rest of its input counts as overhead.
 */
function ratioOf(newest: Anchor, { overheadTokens, tokenRatio, growth, isNewModel }: Known): number {
  const grown = growth.reduce((sum, { counted }) => sum + counted, 0);
  if (grown >= minRatioTokens) return ratioOfGrowth(growth, grown);
  if (isNewModel && overheadTokens > 0) {
    const scale = newest.input / (overheadTokens + tokenRatio * newest.counted);
    return within(minRatio, maxRatio, tokenRatio * scale);
  }
  if (newest.counted < minRatioTokens) return tokenRatio;
  return within(minRatio, maxRatio, (newest.input - overheadTokens) / newest.counted);
}

/**
 * Limits what one call adds, because a jump says nothing about the ratio. Causes are reasoning that is shown only as a summary,
 * files that the host attaches, and messages that it leaves out.
 */
function ratioOfGrowth(growth: readonly Anchor[], grown: number): number {
  let input = 0;
  for (const step of growth)
    input += within(minRatio * step.counted - jumpTokens, maxRatio * step.counted + jumpTokens, step.input);
  return within(minRatio, maxRatio, input / grown);
}

function within(least: number, most: number, value: number): number {
  return Math.min(most, Math.max(least, value));
}
