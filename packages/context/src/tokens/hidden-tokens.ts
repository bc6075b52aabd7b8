import type { BaseMessage } from "@langchain/core/messages";
import { isToolResult } from "../messages/tool-calls.js";
import { isUsualGrowth, minRatioTokens, usualRatio, within } from "./ratio-of-growth.js";
import type { TokenCounter } from "./token-counter.js";
import type { Anchor, Growth } from "./usage-anchors.js";

/** Tokens by which a prompt becomes smaller from one call to the next when results were cleared: less is noise. */
const leastShrunk = minRatioTokens;
/** Largest share of the results that a host clears. A prompt that loses more lost what was beside the messages. */
const mostCleared = 0.9;

interface Hidden {
  readonly messages: readonly BaseMessage[];
  readonly growth: readonly Growth[];
  readonly newest: Anchor;
  /** Provider tokens per token of the counter. */
  readonly tokenRatio: number;
  /** Tokens beside the messages as known before; 0 if they are not. */
  readonly overheadTokens: number;
  readonly tokenCounter: TokenCounter;
}

/**
 * Returns the provider's tokens of messages that the newest prompt did not hold although the context does: a host that clears old
 * results when it sends them leaves no trace but a prompt that becomes smaller while messages are added. 0 if there is none. Pure.
 *
 * The prompt of a host that has removed messages becomes smaller as well, but what is beside its messages stays. So no more is
 * hidden than brings that back to what it was.
 */
export function hiddenTokens(context: Hidden): number {
  const { growth, newest, tokenRatio, overheadTokens } = context;
  const first = growth.findIndex(isShrunk);
  if (first < 0) return 0;
  const steps = stepsOf(context).slice(first);
  const clearing = steps.findIndex(({ isCleared }) => isCleared);
  if (clearing < 0) return 0;
  const usual = usualRatio(growth);
  const hidden = steps
    .slice(clearing)
    .filter(({ step, isCleared }) => isCleared || (!isShrunk(step) && !isUsualGrowth(step, usual)))
    .reduce((sum, { missing }) => sum + Math.max(0, missing), 0);
  const known = overheadTokens > 0 ? overheadTokens : overheadBefore(growth[first + clearing], context);
  return within(0, hidden, known - (newest.input - tokenRatio * newest.counted));
}

interface HiddenStep {
  readonly step: Growth;
  /** Tokens by which the prompt grew less than was added. */
  readonly missing: number;
  readonly isCleared: boolean;
}

function stepsOf({ messages, growth, tokenRatio, tokenCounter }: Hidden): readonly HiddenStep[] {
  let results = tokenCounter(messages.slice(0, growth[0]?.from).filter(isResult));
  return growth.map((step) => {
    const missing = tokenRatio * step.counted - step.input;
    const isCleared = isShrunk(step) && missing < mostCleared * tokenRatio * results;
    results += tokenCounter(messages.slice(step.from, step.to).filter(isResult));
    return { step, missing, isCleared };
  });
}

function isResult(message: BaseMessage): boolean {
  return isToolResult(message);
}

function isShrunk({ input }: Growth): boolean {
  return input < -leastShrunk;
}

function overheadBefore(step: Growth | undefined, { messages, tokenRatio, tokenCounter }: Hidden): number {
  const { from = 0, reported = 0 } = step ?? {};
  return Math.max(0, reported - tokenRatio * tokenCounter(messages.slice(0, from)));
}
