import type { BaseMessage } from "@langchain/core/messages";
import { estimateTokens } from "@palimpsest/context";
import { isAi, isToolResult } from "@palimpsest/context/internal";
import { withUsage } from "./metered-prompt.js";
import type { SentPrompt } from "./recorded-prompts.js";

/** What a host clears when it sends a prompt: above `above` tokens the oldest results, until no more than `to` are left. */
export interface Clearing {
  readonly above: number;
  readonly to: number;
}

/** Newest steps whose results a host keeps. */
const keptSteps = 3;
/** Largest number of real tokens for an estimated one: a step that grew by more grew by something besides its results. */
const mostReal = 2;

/**
 * Returns the prompts as they were if the host had cleared old results from what it sends, as Claude Code does: the messages stay,
 * and the reported usage lacks what the results of a step had added to it.
 */
export function clearedPrompts(sent: readonly SentPrompt[], { above, to }: Clearing): readonly SentPrompt[] {
  let [cleared, next] = [0, 0];
  const inputs = new Map<string, number>();
  for (const [at, { inputTokens, call, replyId }] of sent.entries()) {
    if (call === 0) [cleared, next] = [0, at];
    if (inputTokens - cleared > above)
      for (; inputTokens - cleared > to && next < at - keptSteps; next++)
        cleared += resultTokens(sent[next], sent[next + 1]);
    inputs.set(replyId, inputTokens - cleared);
  }
  const known = new WeakMap<BaseMessage, BaseMessage>();
  const reporting = (message: BaseMessage) => {
    const input = isAi(message) ? inputs.get(message.id ?? "") : undefined;
    if (input === undefined) return message;
    const copy = known.get(message) ?? withUsage(message, { inputTokens: input });
    known.set(message, copy);
    return copy;
  };
  return sent.map((prompt) => ({
    ...prompt,
    messages: prompt.messages.map(reporting),
    inputTokens: inputs.get(prompt.replyId) ?? prompt.inputTokens,
  }));
}

/** Returns the real tokens of the results that came between two prompts: their share of the growth. */
function resultTokens(before: SentPrompt | undefined, after: SentPrompt | undefined): number {
  if (before === undefined || after === undefined || after.call === 0) return 0;
  const added = after.messages.slice(before.messages.length);
  const results = estimateTokens(added.filter((message) => isToolResult(message)));
  const grown = (after.inputTokens - before.inputTokens) * (results / Math.max(1, estimateTokens(added)));
  return Math.round(Math.min(mostReal * results, Math.max(0, grown)));
}
