import type { BaseMessage } from "@langchain/core/messages";
import { readMessages } from "../messages/provider/native-compaction.js";
import type { PromptParts, TokenCounter } from "./token-counter.js";
import { addedTokens } from "./growth-weights.js";
import { hiddenTokens } from "./hidden-tokens.js";
import { jumpTokens, maxRatio, minRatio, minRatioTokens, ratioOfGrowth, within } from "./ratio-of-growth.js";
import { tokensAtMost, usualTokens } from "./upper-bound.js";
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
  /** Share by which prompts were under-counted, from an earlier measurement. @default 0 */
  readonly countError?: number | undefined;
  /** Id of the newest message at the time of the last unfold: usage reported up to it is out of date. */
  readonly unfoldedAt?: string | undefined;
  /** Tokens of the window. No overhead is larger, and a report may exceed the count by as much. @default unknown */
  readonly contextWindow?: number | undefined;
}

export interface ContextMeasure {
  /** Tokens of the next prompt: all messages plus the known overhead. */
  readonly tokens: number;
  /** Tokens of the prompt besides the messages: system prompt, tool schemas and the like. */
  readonly overheadTokens: number;
  /** Provider tokens per token of the counter, 0.5 to 2. Multiply counts of messages by it. */
  readonly tokenRatio: number;
  /** Share by which the newest prompts were under-counted, at most 0.25: leave as much of the window free. @default 0 */
  readonly countError?: number | undefined;
  /** `usage`: the usage that the provider reported plus an estimate of the later messages. */
  readonly source: "usage" | "estimate";
  /** The newest report, if it is too far from the count to be true: the size is not taken from it. */
  readonly disputed?: DisputedReport;
}

/** Tokens that a message reports for its prompt, and the tokens of that prompt by the counter. */
export interface DisputedReport {
  readonly messageId: string | undefined;
  readonly reported: number;
  readonly counted: number;
}

/** Largest error of the count that is expected. */
export const maxCountError = 0.25;
/** Share of an earlier error that is still expected after each measurement. */
const rememberedError = 0.9;
/** Share of the window that a report may be below the bounds, at most {@link jumpTokens}: images count less at some providers. */
const missingShare = 1 / 8;
/** Tokens that a report may be above the bounds if the window is unknown: a system prompt and tools that nobody counted. */
const unseenTokens = 200_000;

/**
 * Measures the next prompt.
 *
 * Starts from the newest usage that a provider reported for a prompt that is still a prefix of this one. Ignores usage
 * from before a fold, because the messages that it counted have been replaced, and the usage of a reply in which the
 * provider compacted. Does not count what such a compaction covers. A report is evidence, and not the truth: clients send messages with
 * usage, and some proxies report only what was not cached, so one outside the bounds of the ratio is disputed. Separates the provider's deviation from
 * the counter (`tokenRatio`) from the overhead (`overheadTokens`). Pure.
 */
export function measureContext(all: readonly BaseMessage[], options: MeasureOptions): ContextMeasure {
  const messages = readMessages(all);
  const { tokenCounter, unfoldedAt, contextWindow = Infinity } = options;
  const known = { overheadTokens: overheadOf(options), tokenRatio: options.tokenRatio ?? 1 };
  const total = tokenCounter(messages);
  const countedAt = (at: number) => total - tokenCounter(messages.slice(at));
  const isPlausible = (at: number) => {
    const counted = countedAt(at);
    const input = wholeInput(messages[at]);
    return (
      input >= leastInput(counted, options) && input <= mostInput(counted + known.overheadTokens, options)
    );
  };
  const { index, disputed, outdating } = newestAnchor(messages, { unfoldedAt, isPlausible });
  const dispute = disputed < 0 ? {} : { disputed: disputeOf(messages[disputed], countedAt(disputed)) };
  if (index < 0) {
    // A ratio below 1 without a report that supports it would hide a prompt over the window.
    const tokenRatio = Math.max(1, known.tokenRatio);
    const tokens = known.overheadTokens + Math.ceil(tokenRatio * total);
    return { ...known, ...dispute, ...errorOf(undefined, options), tokenRatio, tokens, source: "estimate" };
  }
  const input = reportedInput(messages[index]);
  const after = tokenCounter(messages.slice(index));
  const newest = { input: wholeInput(messages[index]), counted: total - after };
  const growth = growthOf(messages, { newest: index, outdating, tokenCounter });
  const isNewModel = hasOtherModel(messages, index);
  const grown = ratioOfGrowth(growth);
  const hidden =
    grown === undefined
      ? 0
      : hiddenTokens({ messages, growth, newest, ...known, tokenRatio: grown, tokenCounter });
  const whole = { input: newest.input + hidden, counted: newest.counted };
  const tokenRatio = ratioOf(whole, { ...known, grown, isNewModel });
  const added = addedTokens(messages.slice(index), { messages, growth, tokenCounter });
  return {
    tokens: input + Math.ceil(added ?? tokenRatio * after),
    // More than a window is not believed when it comes back with the state: see overheadOf.
    overheadTokens: within(0, contextWindow, Math.floor(whole.input - tokenRatio * whole.counted)),
    tokenRatio,
    source: "usage",
    ...dispute,
    ...errorOf(newest, options),
  };
}

/**
 * Returns by which share a report is over what the last measurement makes of its prompt, or what remains of an earlier error.
 * Another model, or text of another kind, is not known before its first report: the next of its kind is expected.
 */
function errorOf(newest: Anchor | undefined, options: MeasureOptions): Pick<ContextMeasure, "countError"> {
  const { tokenRatio, countError = 0 } = options;
  const isKnown = newest !== undefined && tokenRatio !== undefined && newest.counted >= minRatioTokens;
  const error = isKnown ? newest.input / (overheadOf(options) + tokenRatio * newest.counted) - 1 : 0;
  const expected = within(0, maxCountError, Math.max(error, rememberedError * countError));
  return expected === 0 ? {} : { countError: expected };
}

function leastInput(counted: number, { contextWindow = Infinity }: MeasureOptions): number {
  return minRatio * counted - Math.min(jumpTokens, missingShare * contextWindow);
}

function mostInput(counted: number, { contextWindow = unseenTokens }: MeasureOptions): number {
  return maxRatio * counted + contextWindow;
}

function disputeOf(message: BaseMessage | undefined, counted: number): DisputedReport {
  return { messageId: message?.id, reported: wholeInput(message), counted };
}

/**
 * Returns an upper bound of the tokens that {@link measureContext} measures. Fast, for steps far from every limit: counts only
 * messages after the reported usage, and without usage none if the counter has a `maxPerCharacter`. Counts all messages where
 * the report is small for the length of their texts. Pure.
 */
export function measureAtMost(all: readonly BaseMessage[], options: MeasureOptions): number {
  const messages = readMessages(all);
  const { tokenCounter, tokenRatio = 1, unfoldedAt } = options;
  const { index } = newestAnchor(messages, { unfoldedAt, isPlausible: () => true });
  if (index < 0) {
    const total = tokensAtMost(messages, tokenCounter) ?? tokenCounter(messages);
    return overheadOf(options) + Math.ceil(Math.max(1, tokenRatio) * total);
  }
  if (wholeInput(messages[index]) < usualTokens(messages) - usualTokens(messages.slice(index)))
    return measureContext(messages, options).tokens;
  const after = tokenCounter(messages.slice(index));
  return reportedInput(messages[index]) + Math.ceil(Math.max(maxRatio, tokenRatio) * after);
}

/** The known overhead may come from a client, with the state. */
function overheadOf(options: MeasureOptions): number {
  const { tokenCounter, systemPrompt, tools, overheadTokens = 0, contextWindow = Infinity } = options;
  const parts = {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tools === undefined ? {} : { tools }),
  };
  return Math.max(overheadTokens > contextWindow ? 0 : overheadTokens, tokenCounter([], parts));
}

interface Known {
  readonly overheadTokens: number;
  readonly tokenRatio: number;
  /** The ratio of the growth of the prompts, if it is known. */
  readonly grown: number | undefined;
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
function ratioOf(newest: Anchor, { overheadTokens, tokenRatio, grown, isNewModel }: Known): number {
  if (grown !== undefined) return Math.min(grown, ratioWithoutOverhead(newest));
  if (isNewModel && overheadTokens > 0) {
    const scale = newest.input / (overheadTokens + tokenRatio * newest.counted);
    return within(minRatio, maxRatio, tokenRatio * scale);
  }
  if (newest.counted < minRatioTokens) return tokenRatio;
  // A count of the system prompt and tools that is too large looks like a small ratio, which would hide a prompt over the window.
  return within(Math.min(1, tokenRatio), maxRatio, (newest.input - overheadTokens) / newest.counted);
}

/** A larger ratio would make the overhead negative. */
function ratioWithoutOverhead({ input, counted }: Anchor): number {
  return Math.max(minRatio, input / counted);
}
