import type { BaseMessage } from "@langchain/core/messages";
import { measureContext, type TokenCounter } from "@palimpsest/context";
import {
  measureAtMost,
  readMessages,
  type ContextMeasure,
  type MeasureOptions,
} from "@palimpsest/context/internal";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { CompactionState } from "./context-state.js";

/** The options that a measure of the next prompt depends on. */
export type MeasuredBy = Pick<ResolvedOptions, "tokenCounter" | "systemPrompt" | "tools"> &
  Partial<Pick<ResolvedOptions, "contextWindow">>;

/**
 * Returns the size of the next prompt: the larger of two sizes where the host has changed what was reported. The reports before the
 * change lack what was added, and an estimate lacks what is sent beside the messages, if nobody has measured it. Pure.
 */
export function measureOf(
  messages: readonly BaseMessage[],
  options: MeasuredBy,
  state: CompactionState | undefined,
): ContextMeasure {
  const usual = measureOptions(options, state);
  const measure = measureContext(messages, usual);
  if (state?.editedAt === undefined) return measure;
  const behind = measureContext(messages, { ...usual, unfoldedAt: state.editedAt });
  // A report that the change has made too small is not disputed.
  return behind.tokens >= measure.tokens ? behind : measure;
}

/** Returns an upper bound of the size of the next prompt, without counting old messages. Pure. */
export function atMostOf(
  messages: readonly BaseMessage[],
  options: MeasuredBy,
  state: CompactionState | undefined,
): number {
  const usual = measureOptions(options, state);
  const most = measureAtMost(messages, usual);
  if (state?.editedAt === undefined) return most;
  return Math.max(most, measureAtMost(messages, { ...usual, unfoldedAt: state.editedAt }));
}

/** Returns the tokens by our count that fit the window if a prompt is under-counted by `countError`. Pure. */
export function safeWindow(window: number, { countError = 0 }: Pick<CompactionState, "countError">): number {
  return countError === 0 ? window : Math.floor(window / (1 + countError));
}

/** Returns a function that counts whole prompts: messages as {@link counterOf} does, and what is sent beside them. */
export function sizeWith(measure: ContextMeasure, options: MeasuredBy) {
  const count = counterOf(measure, options);
  return (messages: readonly BaseMessage[]): number => measure.overheadTokens + Math.ceil(count(messages));
}

/** Returns a counter on the provider's scale, without the messages that a provider's compaction covers. */
export function counterOf({ tokenRatio }: ContextMeasure, { tokenCounter }: MeasuredBy): TokenCounter {
  return (messages) => tokenRatio * tokenCounter(readMessages(messages));
}

function measureOptions(
  { tokenCounter, systemPrompt, tools, contextWindow }: MeasuredBy,
  state: CompactionState | undefined,
): MeasureOptions {
  return {
    tokenCounter,
    overheadTokens: state?.overheadTokens,
    tokenRatio: state?.tokenRatio,
    countError: state?.countError,
    unfoldedAt: state?.unfoldedAt,
    contextWindow,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tools === undefined ? {} : { tools }),
  };
}
