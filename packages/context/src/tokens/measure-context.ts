import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "../folds/fold.js";
import { isAi } from "../messages/tool-calls.js";
import { isSummary } from "../folds/fold.js";
import type { PromptParts, TokenCounter } from "./token-counter.js";

export interface MeasureOptions extends PromptParts {
  readonly tokenCounter: TokenCounter;
  /** Tokens of what is sent beside the messages, where it is known from an earlier measurement. @default 0 */
  readonly overheadTokens?: number | undefined;
  /** What the provider counts for a token of the counter, where it is known from an earlier measurement. @default 1 */
  readonly tokenRatio?: number | undefined;
  /** Id of the newest message of a context that was unfolded since: usage reported up to it is out of date. */
  readonly unfoldedAt?: string | undefined;
}

export interface ContextMeasure {
  /** Tokens of the next prompt: all messages, and what is sent beside them as far as it is known. */
  readonly tokens: number;
  /** Tokens of system prompt, tool schemas and the rest beside the messages. */
  readonly overheadTokens: number;
  /** What the provider counts for a token of the counter: 0.5 to 2. Multiply counts of messages by it. */
  readonly tokenRatio: number;
  /** `usage`: anchored on what the provider reported, with an estimate of what came after. */
  readonly source: "usage" | "estimate";
}

/** A counter is never further off than this: what is beyond belongs to what is sent beside the messages. */
const ratios = { least: 0.5, most: 2 };
/** Tokens of messages below which a ratio is mostly noise. */
const enoughTokens = 1_000;

/**
 * Returns how large the next prompt is.
 *
 * Anchored on the newest usage that a provider reported for a prompt which is still the beginning of this one.
 * Usage from before a fold is out of date, for the messages it counted are no longer there. Where the provider counts
 * more or less than the counter, that is told apart from what is sent beside the messages. Pure.
 */
export function measureContext(messages: readonly BaseMessage[], options: MeasureOptions): ContextMeasure {
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
  const outdating = outdatingOf(messages);
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
  const newest = { input, counted: total - after };
  const oldest = oldestAnchor(messages, { newest: index, outdating, tokenCounter });
  const tokenRatio = ratioOf(newest, { ...known, oldest });
  return {
    tokens: input + Math.ceil(tokenRatio * after),
    overheadTokens: Math.max(0, Math.floor(input - tokenRatio * newest.counted)),
    tokenRatio,
    source: "usage",
  };
}

/** A prompt that a provider has counted: its tokens by the provider, and those of its messages by the counter. */
interface Anchor {
  readonly input: number;
  readonly counted: number;
}

interface Known {
  readonly overheadTokens: number;
  readonly tokenRatio: number;
  readonly oldest: Anchor | undefined;
}

/**
 * Two prompts give the ratio by what lies between them; one gives it over the overhead that is known. Where none is
 * known, an under-count is taken for one: as overhead it could never be folded away, and nothing would be tried.
 */
function ratioOf(newest: Anchor, { overheadTokens, tokenRatio, oldest }: Known): number {
  const from = oldest ?? { input: overheadTokens, counted: 0 };
  const counted = newest.counted - from.counted;
  if (counted < enoughTokens) return tokenRatio;
  return Math.min(ratios.most, Math.max(ratios.least, (newest.input - from.input) / counted));
}

/** The first prompt of the context that was counted, where it is still the beginning of the context. */
function oldestAnchor(
  messages: readonly BaseMessage[],
  { newest, outdating, tokenCounter }: AnchorSearch,
): Anchor | undefined {
  const index = messages.findIndex((message) => isAi(message) && reportedInput(message) > 0);
  if (index === newest || !isCurrent(messages, index, outdating)) return undefined;
  return { input: reportedInput(messages[index]), counted: tokenCounter(messages.slice(0, index)) };
}

interface AnchorSearch {
  readonly newest: number;
  readonly outdating: Outdating;
  readonly tokenCounter: TokenCounter;
}

/** Index of the newest AI message whose reported usage still holds, or -1. */
function anchorIndex(
  messages: readonly BaseMessage[],
  outdating: Outdating,
  unfoldedAt: string | undefined,
): number {
  const anchor = messages.findLastIndex((message) => isAi(message) && reportedInput(message) > 0);
  if (anchor < 0 || !isCurrent(messages, anchor, outdating)) return -1;
  if (unfoldedAt === undefined) return anchor;
  const opened = messages.findLastIndex(({ id }) => id === unfoldedAt);
  return anchor <= opened ? -1 : anchor;
}

/** What makes reported usage out of date. Found in one pass, for it is asked at every step. */
interface Outdating {
  /** Index of the last summary, or -1. */
  readonly summary: number;
  /** Where stand-ins are, and the newest message of the context when each was made. */
  readonly folds: readonly { readonly index: number; readonly newest: string }[];
}

function outdatingOf(messages: readonly BaseMessage[]): Outdating {
  let summary = -1;
  const folds: { index: number; newest: string }[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    const fold = message && foldOf(message);
    if (message === undefined || fold === undefined) continue;
    if (isSummary(message)) summary = index;
    if (fold.newest !== undefined) folds.push({ index, newest: fold.newest });
  }
  return { summary, folds };
}

/**
 * True when what stands before a message is what its provider was sent. What stands before a summary was carried over
 * it: its usage counted the messages that are folded now.
 */
function isCurrent(messages: readonly BaseMessage[], anchor: number, { summary, folds }: Outdating): boolean {
  if (summary >= anchor) return false;
  const newest = new Set(folds.filter(({ index }) => index <= anchor).map((fold) => fold.newest));
  if (newest.size === 0) return true;
  for (let index = anchor; index < messages.length; index++) {
    if (newest.has(messages[index]?.id ?? "")) return false;
  }
  return true;
}

function reportedInput(message: BaseMessage | undefined): number {
  const usage = (message as { usage_metadata?: { input_tokens?: number } } | undefined)?.usage_metadata;
  return usage?.input_tokens ?? 0;
}
