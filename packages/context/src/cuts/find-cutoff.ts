import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { coversOthers, foldOf } from "../folds/fold.js";
import { traitsOf } from "../folds/kinds.js";
import { isAi, isToolResult } from "../messages/tool-calls.js";
import { asKeeps, keepTokens, type Keep } from "../options.js";
import type { TokenCounter } from "../tokens/token-counter.js";
import { cutPoints, foldRules } from "./cut-rules.js";

export interface FindCutoffOptions {
  /** An array keeps what its largest member keeps, as the maximum of turns and a share (SynthOrg, recommendation 6). */
  readonly keep: Keep | readonly Keep[];
  readonly tokenCounter: TokenCounter;
  readonly contextWindow?: number | undefined;
}

/**
 * Returns the index of the first message to keep: a legal cut point, or 0 when nothing can be folded.
 *
 * A keep in messages or turns is a minimum. A keep in tokens or a fraction is a maximum, but all messages that the model
 * has not seen are kept, and so is the newest message: the answer that the host reads at the end of a run.
 */
export function findCutoff(messages: readonly BaseMessage[], options: FindCutoffOptions): number {
  if (isKeptWhole(messages, options)) return 0;
  const last = Math.min(unseenStart(messages), messages.length - 1);
  const legal = cutPoints(messages, foldRules).filter((index) => index <= last);
  return Math.min(...asKeeps(options.keep).map((keep) => cutoffFor(messages, { ...options, keep }, legal)));
}

function cutoffFor(
  messages: readonly BaseMessage[],
  { keep, tokenCounter, contextWindow }: FindCutoffOptions & { readonly keep: Keep },
  legal: readonly number[],
): number {
  const last = legal.at(-1) ?? 0;
  const maxTokens = keepTokens(keep, contextWindow);
  if (maxTokens !== undefined) {
    const start = budgetStart(messages, maxTokens, tokenCounter);
    return legal.find((index) => index >= start) ?? last;
  }
  const start =
    keep.turns === undefined ? messages.length - (keep.messages ?? 0) : turnStart(messages, keep.turns);
  return legal.findLast((index) => index <= start) ?? 0;
}

/**
 * Returns true when a keep in tokens or a fraction covers all messages: then nothing can be folded. Takes one count and looks
 * for no cut points. Pure.
 */
export function isKeptWhole(
  messages: readonly BaseMessage[],
  { keep, tokenCounter, contextWindow }: FindCutoffOptions,
): boolean {
  const limits = asKeeps(keep).flatMap((one) => keepTokens(one, contextWindow) ?? []);
  return limits.length > 0 && tokenCounter(messages) <= Math.max(...limits);
}

/** Returns the index of the AI message that starts the newest `turns` turns. */
function turnStart(messages: readonly BaseMessage[], turns: number): number {
  const replies = messages.flatMap((message, index) => (isAi(message) ? [index] : []));
  return turns >= 1 ? (replies.at(-Math.floor(turns)) ?? 0) : messages.length;
}

/** Returns the start of the longest suffix of the messages with at most `maxTokens`. */
function budgetStart(
  messages: readonly BaseMessage[],
  maxTokens: number,
  tokenCounter: TokenCounter,
): number {
  let start = messages.length;
  for (let tokens = 0; start > 0; start--) {
    tokens += tokenCounter(messages.slice(start - 1, start));
    if (tokens > maxTokens) break;
  }
  return start;
}

/**
 * Returns the index of the first message that the model has not seen. Messages from this index on must not be folded
 * into a summary.
 *
 * The unseen messages are those after the last AI message, and that message too when tool results follow it. A
 * stand-in for several messages counts as an AI message: only seen messages are folded, so the model has seen
 * everything that the stand-in covers and everything carried before it. Predictive context may show new results in the record of
 * earlier steps: as the newest message, that record is unseen.
 */
export function unseenStart(messages: readonly BaseMessage[]): number {
  const newest = messages.findLastIndex((message) => isAi(message) || coversOthers(message));
  const message = messages[newest];
  if (message === undefined) return 0;
  if (newest === messages.length - 1 && showsNew(message)) return newest;
  const hasUnseenResults = !coversOthers(message) && messages.slice(newest + 1).some(isToolResult);
  return hasUnseenResults ? newest : newest + 1;
}

function showsNew(message: BaseMessage): boolean {
  const fold = foldOf(message);
  return fold !== undefined && traitsOf(fold.kind).showsNew === true;
}

/**
 * Returns the cut point that makes the context start at a message: its index, or the nearest legal cut point before it
 * when that index is not legal or the model has not seen all messages above it.
 *
 * Pure.
 * @throws ContextError `unknown-message` when no message has the id.
 */
export function cutAbove(messages: readonly BaseMessage[], messageId: string): number {
  const index = messages.findIndex(({ id }) => id === messageId);
  if (index < 0) {
    throw new ContextError(
      "unknown-message",
      `No message of the context has the id ${JSON.stringify(messageId)}: pass the id of one of its messages`,
    );
  }
  const maxCut = Math.min(index, unseenStart(messages));
  return cutPoints(messages, foldRules).findLast((point) => point <= maxCut) ?? 0;
}
