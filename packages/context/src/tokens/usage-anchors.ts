import type { BaseMessage } from "@langchain/core/messages";
import { collectOnce, type Found } from "../collect-once.js";
import { foldsIn, isSummaryFold, type Fold } from "../folds/fold.js";
import { clearedTokens, nativeStart } from "../messages/provider/native-compaction.js";
import { modelOf } from "../messages/provider/reasoning.js";
import { promptTokens, usageOf } from "../messages/provider/reported-usage.js";
import { isAi } from "../messages/tool-calls.js";
import type { TokenCounter } from "./token-counter.js";

/**
 * A prompt with reported usage: `input` counted by the provider, cleared tokens included, `counted` the counter's tokens of its
 * messages.
 */
export interface Anchor {
  readonly input: number;
  readonly counted: number;
}

/** By how much the prompt grew from one call to the next. */
export interface Growth extends Anchor {
  /** Indices of the messages that reported the two prompts. The messages from `from` to before `to` were added. */
  readonly from: number;
  readonly to: number;
  /** Input tokens of the first of the two. */
  readonly reported: number;
}

/** The newest prompt of a context whose reported usage still holds. */
export interface NewestAnchor {
  /** Index of the AI message that reported it, or -1. */
  readonly index: number;
  /** Index of a newer AI message whose report is not plausible, or -1. One of several replies in a row is none. */
  readonly disputed: number;
  readonly outdating: Outdating;
}

interface AnchorOptions {
  readonly unfoldedAt: string | undefined;
  /** Compares the report of the message at an index with the count of its prompt. */
  readonly isPlausible: (index: number) => boolean;
}

/** Newest reports that are compared with a count before the size is estimated. */
const maxCompared = 8;

/** Returns the newest prompt whose reported usage still holds and is plausible. Pure. */
export function newestAnchor(
  messages: readonly BaseMessage[],
  { unfoldedAt, isPlausible }: AnchorOptions,
): NewestAnchor {
  const reports = reported(messages).slice(-maxCompared).toReversed();
  if (reports.length === 0) return { index: -1, disputed: -1, outdating: nothingOutdated };
  const outdating = outdatingOf(messages);
  const unfolded = unfoldedAt === undefined ? -1 : messages.findLastIndex(({ id }) => id === unfoldedAt);
  let disputed = -1;
  for (const { index } of reports) {
    if (index <= unfolded || !isCurrent(messages, index, outdating)) break;
    if (isPlausible(index)) return { index, disputed, outdating };
    if (standsAlone(messages, index)) disputed = Math.max(disputed, index);
  }
  return { index: -1, disputed, outdating };
}

/** False for one of several replies in a row: workers may have been sent a list of their own, which their reports are about. */
function standsAlone(messages: readonly BaseMessage[], index: number): boolean {
  return [messages[index - 1], messages[index + 1]].every((beside) => beside === undefined || !isAi(beside));
}

/** True when a model other than the newest one reported usage before it. */
export function hasOtherModel(messages: readonly BaseMessage[], newest: number): boolean {
  const model = modelOf(messages[newest]);
  return reported(messages).some(({ index, value }) => index < newest && value.model !== model);
}

/** Newest reports whose growth is read: a ratio of more of them is no better, and a step of a long thread would read them all. */
const maxGrowth = 256;

/**
 * Returns by how much the prompts grew from call to call, up to the newest, as its model reported them: the last
 * {@link maxGrowth} of them. Empty when the first of these is not a prefix of the context. Two models count differently: the
 * difference of their prompts is no growth.
 */
export function growthOf(
  messages: readonly BaseMessage[],
  { newest, outdating, tokenCounter }: AnchorSearch,
): readonly Growth[] {
  const model = modelOf(messages[newest]);
  const ofModel = reported(messages)
    .filter(({ index, value }) => index > outdating.native && index <= newest && value.model === model)
    .slice(-maxGrowth);
  const [oldest, ...later] = ofModel;
  if (oldest === undefined || later.length === 0 || !isCurrent(messages, oldest.index, outdating)) return [];
  const replaced = lastReplaced(messages, newest, outdating.folds);
  let from = oldest;
  return later.flatMap((report) => {
    if (report.index <= replaced) return [];
    const input = report.value.input - from.value.input;
    const counted = tokenCounter(messages.slice(from.index, report.index));
    const step = { input, counted, from: from.index, to: report.index, reported: from.value.input };
    from = report;
    return [step];
  });
}

interface AnchorSearch {
  readonly newest: number;
  readonly outdating: Outdating;
  readonly tokenCounter: TokenCounter;
}

/** The folds that make reported usage out of date. */
export interface Outdating {
  /** Index of the last summary, or -1. */
  readonly summary: number;
  /** Index of the last compaction of the provider, or -1: its usage is that of the prompt before. */
  readonly native: number;
  readonly folds: readonly Found<Fold>[];
}

const nothingOutdated: Outdating = { summary: -1, native: -1, folds: [] };

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
  return lastReplaced(messages, anchor, folds) < anchor;
}

/**
 * Returns the index of the last message that was there when a stand-in before the anchor was made, or -1: what was reported
 * up to it counts an original.
 */
function lastReplaced(
  messages: readonly BaseMessage[],
  anchor: number,
  folds: readonly Found<Fold>[],
): number {
  const newest = new Set<string>();
  for (const { index, value } of folds) {
    if (index > anchor) break;
    if (value.newest !== undefined) newest.add(value.newest);
  }
  return newest.size === 0 ? -1 : messages.findLastIndex(({ id = "" }) => newest.has(id));
}

/** Returns the input tokens including those that the provider's context editing left out, because the counter counts them. */
export function wholeInput(message: BaseMessage | undefined): number {
  return reportedInput(message) + (message === undefined ? 0 : clearedTokens(message));
}

const reported = collectOnce((message) => {
  const input = isAi(message) ? reportedInput(message) : 0;
  return input > 0 ? { input: input + clearedTokens(message), model: modelOf(message) } : undefined;
});

/** The input tokens that the provider reported for the prompt of a message; 0 without a report. */
export function reportedInput(message: BaseMessage | undefined): number {
  return promptTokens(usageOf(message));
}
