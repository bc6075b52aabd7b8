import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "./fold.js";
import { isSummary } from "./plan-summary.js";
import type { PromptParts, TokenCounter } from "./token-counter.js";
import { isAi } from "./tool-calls.js";

export interface MeasureOptions extends PromptParts {
  readonly tokenCounter: TokenCounter;
  /** Tokens of what is sent beside the messages, where it is known from an earlier measurement. @default 0 */
  readonly overheadTokens?: number | undefined;
}

export interface ContextMeasure {
  /** Tokens of the next prompt: all messages, and what is sent beside them as far as it is known. */
  readonly tokens: number;
  /** Tokens of system prompt, tool schemas and the rest beside the messages. */
  readonly overheadTokens: number;
  /** `usage`: anchored on what the provider reported, with an estimate of what came after. */
  readonly source: "usage" | "estimate";
}

/**
 * Returns how large the next prompt is.
 *
 * Anchored on the newest usage that a provider reported for a prompt which is still the beginning of this one.
 * Usage from before a fold is out of date, for the messages it counted are no longer there. Pure.
 */
export function measureContext(
  messages: readonly BaseMessage[],
  { tokenCounter, systemPrompt, tools, overheadTokens = 0 }: MeasureOptions,
): ContextMeasure {
  const index = anchorIndex(messages);
  const total = tokenCounter(messages);
  if (index >= 0) {
    const input = reportedInput(messages[index]);
    const before = tokenCounter(messages.slice(0, index));
    return { tokens: input + total - before, overheadTokens: Math.max(0, input - before), source: "usage" };
  }
  const parts = {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(tools === undefined ? {} : { tools }),
  };
  const overhead = Math.max(overheadTokens, tokenCounter([], parts));
  return { tokens: overhead + total, overheadTokens: overhead, source: "estimate" };
}

/** Index of the newest AI message whose reported usage still holds, or -1. */
function anchorIndex(messages: readonly BaseMessage[]): number {
  const anchor = messages.findLastIndex((message) => isAi(message) && reportedInput(message) > 0);
  if (anchor < 0) return -1;
  const outdating = new Set(
    messages.slice(0, anchor + 1).flatMap((message) => foldOf(message)?.newest ?? []),
  );
  const outdated = messages.slice(anchor).some(({ id }) => id !== undefined && outdating.has(id));
  // What stands before a summary was carried over it: its usage counted the messages that are folded now.
  return outdated || messages.slice(anchor).some(isSummary) ? -1 : anchor;
}

function reportedInput(message: BaseMessage | undefined): number {
  const usage = (message as { usage_metadata?: { input_tokens?: number } } | undefined)?.usage_metadata;
  return usage?.input_tokens ?? 0;
}
