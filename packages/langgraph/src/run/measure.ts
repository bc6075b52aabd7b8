import type { BaseMessage } from "@langchain/core/messages";
import { measureContext } from "@palimpsest/context";
import { measureAtMost, type ContextMeasure, type MeasureOptions } from "@palimpsest/context/internal";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { CompactionState } from "./context-state.js";

/** The options that a measure of the next prompt depends on. */
export type MeasuredBy = Pick<ResolvedOptions, "tokenCounter" | "systemPrompt" | "tools"> &
  Partial<Pick<ResolvedOptions, "contextWindow">>;

/** Returns the size of the next prompt. Pure. */
export function measureOf(
  messages: readonly BaseMessage[],
  options: MeasuredBy,
  state: CompactionState | undefined,
): ContextMeasure {
  return measureContext(messages, measureOptions(options, state));
}

/** Returns an upper bound of the size of the next prompt, without counting old messages. Pure. */
export function atMostOf(
  messages: readonly BaseMessage[],
  options: MeasuredBy,
  state: CompactionState | undefined,
): number {
  return measureAtMost(messages, measureOptions(options, state));
}

/** Returns the tokens by our count that fit the window if a prompt is under-counted by `countError`. Pure. */
export function safeWindow(window: number, { countError = 0 }: Pick<CompactionState, "countError">): number {
  return countError === 0 ? window : Math.floor(window / (1 + countError));
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
