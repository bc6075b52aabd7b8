import type { BaseMessage } from "@langchain/core/messages";
import { chooseVerbatim, pinOf, planVerbatim, type VerbatimPlan } from "@palimpsest/context/internal";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { lastCut } from "./cutoff.js";

/** Returns the options with one `pin` predicate that covers marks, `pin`, `pinTools` and `pinFiles`. Pure. */
export function withPins(messages: readonly BaseMessage[], options: ResolvedOptions): ResolvedOptions {
  const pin = pinOf(messages, options);
  return pin === undefined ? options : { ...options, pin };
}

/**
 * Returns the options with the messages that `importance` and `markers` promote added to the pins, so that the rungs below a
 * summary keep them word for word. Pure, except for these two functions.
 */
export function withPromoted(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  cut: number,
): ResolvedOptions {
  const promoted = promotedIds(messages, options, cut);
  if (promoted.size === 0) return options;
  const { pin } = options;
  return { ...options, pin: (message) => promoted.has(message.id ?? "") || pin?.(message) === true };
}

/** Returns the ids of the messages that `importance` and `markers` promote, within `verbatimTokens`. */
export function promotedIds(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  cut: number,
): ReadonlySet<string> {
  const { tokenCounter } = options;
  const choice = choiceOf(messages, options);
  return choice === undefined ? new Set() : chooseVerbatim(messages, { ...choice, cut, tokenCounter });
}

/** Returns the plan that summarizes everything before `cut` except promoted messages. */
export function planPromoted(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  cut: number,
): VerbatimPlan | undefined {
  const { pin, userTokens, maxMessages, tokenCounter } = options;
  const choice = choiceOf(messages, options) ?? { tokens: 0 };
  return planVerbatim(messages, { ...choice, cut, pin, userTokens, maxMessages, tokenCounter });
}

function choiceOf(messages: readonly BaseMessage[], options: ResolvedOptions) {
  const { verbatimTokens: tokens } = options;
  const markers = typeof options.markers === "function" ? options.markers(undefined) : options.markers;
  const { importance: score } = options;
  if ((score === undefined && markers === undefined) || tokens === 0) return undefined;
  const importance = score && ((span: readonly BaseMessage[]) => score(span, undefined));
  return { end: lastCut(messages), tokens, importance, markers };
}
