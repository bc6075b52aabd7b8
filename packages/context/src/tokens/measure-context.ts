import type { BaseMessage } from "@langchain/core/messages";
import { foldsIn, isSummaryFold, type Fold } from "../folds/fold.js";
import { collectOnce, type Found } from "../collect-once.js";
import { clearedTokens, nativeStart, readMessages } from "../messages/provider/native-compaction.js";
import { modelOf } from "../messages/provider/reasoning.js";
import { isAi } from "../messages/tool-calls.js";
import { promptTokens, usageOf } from "../messages/provider/reported-usage.js";
import type { PromptParts, TokenCounter } from "./token-counter.js";

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
  const { tokenCounter, systemPrompt, tools } = options;
  const parts = {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tools === undefined ? {} : { tools }),
  };
  const known = {
    overheadTokens: Math.max(options.overheadTokens ?? 0, tokenCounter([], parts)),
    tokenRatio: options.tokenRatio ?? 1,
  };
  const total = tokenCounter(messages);
  const newestReport = reported(messages).at(-1)?.index ?? -1;
  const outdating = outdatingOf(newestReport < 0 ? [] : messages);
  const index = anchorIndex(messages, outdating, options.unfoldedAt);
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
  const oldest = oldestAnchor(messages, { newest: index, outdating, tokenCounter });
  const isNewModel = hasOtherModel(messages, index);
  const tokenRatio = ratioOf(newest, { ...known, oldest, isNewModel });
  return {
    tokens: input + Math.ceil(tokenRatio * after),
    overheadTokens: Math.max(0, Math.floor(newest.input - tokenRatio * newest.counted)),
    tokenRatio,
    source: "usage",
  };
}

/** A prompt with reported usage: `input` counted by the provider, cleared tokens included, `counted` the counter's tokens of its messages. */
interface Anchor {
  readonly input: number;
  readonly counted: number;
}

interface Known {
  readonly overheadTokens: number;
  readonly tokenRatio: number;
  readonly oldest: Anchor | undefined;
  /** Another model reported usage before: what is known may be its. */
  readonly isNewModel: boolean;
}

/**
 * Computes the ratio from the difference of two prompts, or from one prompt and the known overhead. When no overhead is
 * known, the whole difference counts as a ratio: as overhead it could not be folded, and no compaction would run.
 *
 * What another model counted differs by its vocabulary, in system prompt and tools as in the messages: one prompt of the
 * new model scales the ratio, and leaves the rest of its input to the overhead.
 */
function ratioOf(newest: Anchor, { overheadTokens, tokenRatio, oldest, isNewModel }: Known): number {
  const isApart = oldest !== undefined && newest.counted - oldest.counted >= minRatioTokens;
  if (!isApart && isNewModel && overheadTokens > 0) {
    const scale = newest.input / (overheadTokens + tokenRatio * newest.counted);
    return Math.min(maxRatio, Math.max(minRatio, tokenRatio * scale));
  }
  const from = isApart ? oldest : { input: overheadTokens, counted: 0 };
  const counted = newest.counted - from.counted;
  if (counted < minRatioTokens) return tokenRatio;
  return Math.min(maxRatio, Math.max(minRatio, (newest.input - from.input) / counted));
}

/** True when a model other than the newest one reported usage before it. */
function hasOtherModel(messages: readonly BaseMessage[], newest: number): boolean {
  const model = modelOf(messages[newest]);
  return reported(messages).some(({ index }) => index < newest && modelOf(messages[index]) !== model);
}

/**
 * Returns the first prompt whose usage the model of the newest one reported, or undefined when it is not a prefix of the
 * context or is the newest. Two models count differently: the difference of their prompts is no ratio of either.
 */
function oldestAnchor(
  messages: readonly BaseMessage[],
  { newest, outdating, tokenCounter }: AnchorSearch,
): Anchor | undefined {
  const model = modelOf(messages[newest]);
  const oldest = reported(messages).find(
    ({ index: at }) => at > outdating.native && modelOf(messages[at]) === model,
  );
  const index = oldest?.index ?? newest;
  if (index === newest || !isCurrent(messages, index, outdating)) return undefined;
  return { input: wholeInput(messages[index]), counted: tokenCounter(messages.slice(0, index)) };
}

interface AnchorSearch {
  readonly newest: number;
  readonly outdating: Outdating;
  readonly tokenCounter: TokenCounter;
}

/** Returns the index of the newest AI message whose reported usage is still valid, or -1. */
function anchorIndex(
  messages: readonly BaseMessage[],
  outdating: Outdating,
  unfoldedAt: string | undefined,
): number {
  const anchor = reported(messages).at(-1)?.index ?? -1;
  if (anchor < 0 || !isCurrent(messages, anchor, outdating)) return -1;
  if (unfoldedAt === undefined) return anchor;
  const unfolded = messages.findLastIndex(({ id }) => id === unfoldedAt);
  return anchor <= unfolded ? -1 : anchor;
}

/** The folds that make reported usage out of date. */
interface Outdating {
  /** Index of the last summary, or -1. */
  readonly summary: number;
  /** Index of the last compaction of the provider, or -1: its usage is that of the prompt before. */
  readonly native: number;
  readonly folds: readonly Found<Fold>[];
}

function outdatingOf(messages: readonly BaseMessage[]): Outdating {
  const folds = foldsIn(messages);
  const summary = folds.findLast(({ value }) => isSummaryFold(value))?.index ?? -1;
  return { summary, native: nativeStart(messages), folds };
}

/**
 * True when the messages before `anchor` are those that the provider received. Messages before a summary were carried
 * over it: their usage counted messages that are folded now.
 */
function isCurrent(
  messages: readonly BaseMessage[],
  anchor: number,
  { summary, native, folds }: Outdating,
): boolean {
  if (summary >= anchor || native >= anchor) return false;
  // Ids of the newest message of the context when each stand-in before the anchor was made.
  const newest = new Set<string>();
  for (const { index, value } of folds) {
    if (index > anchor) break;
    if (value.newest !== undefined) newest.add(value.newest);
  }
  if (newest.size === 0) return true;
  for (let index = anchor; index < messages.length; index++) {
    if (newest.has(messages[index]?.id ?? "")) return false;
  }
  return true;
}

/** The input with what context editing of the provider left out of it, which the counter counts. */
function wholeInput(message: BaseMessage | undefined): number {
  return reportedInput(message) + (message === undefined ? 0 : clearedTokens(message));
}

const reported = collectOnce((message) => (isAi(message) && reportedInput(message) > 0) || undefined);

function reportedInput(message: BaseMessage | undefined): number {
  return promptTokens(usageOf(message));
}
