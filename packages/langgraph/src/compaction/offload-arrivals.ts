import type { BaseMessage } from "@langchain/core/messages";
import { defaults, unseenStart, type Rewrite } from "@palimpsest/context";
import { mayExceed, offloadArrivals } from "@palimpsest/context/internal";
import type { CompactionState } from "../run/context-state.js";
import { knownState } from "../run/node-state.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { measureOf } from "../run/measure.js";
import { compactionDue, type CompactionDue } from "./compaction-due.js";

interface KnownOfStep {
  /** Undefined in a graph without the channel `compaction`. */
  readonly state: CompactionState | undefined;
  /** What is due, where a graph without the channel has asked for it already. */
  readonly due?: CompactionDue | undefined;
}

/** Returns the context with its large arrivals moved to the archive. Messages that were unfolded are not new. Pure. */
export function offloadArrivalsOf(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  known: KnownOfStep,
): Rewrite {
  const { state } = known;
  const start = startOf(messages, options, known);
  const maxUserTokens = maxUserTokensOf(messages, options, state);
  return offloadArrivals(messages, { ...options, start, maxUserTokens });
}

/** Share of the window up to which a user message is always sent whole. */
const smallShare = 1 / 8;

/**
 * Returns the tokens, by the counter, that one user message may have beside the system prompt, the tools and a tenth of the
 * window. Undefined if all are short enough, as at nearly every step.
 */
function maxUserTokensOf(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): number | undefined {
  const { maxPromptTokens: window, tokenCounter } = options;
  const small = smallShare * window;
  const isLarge = (index: number) => {
    const message = messages[index];
    return message?.getType() === "human" && tokenCounter([message]) > small;
  };
  if (!mayExceed(small, messages, tokenCounter).some(isLarge)) return undefined;
  const { overheadTokens, tokenRatio } = measureOf(messages, options, knownState(messages, state));
  const system = tokenCounter(messages.filter((message) => message.getType() === "system"));
  return Math.max(small, ((1 - defaults.userReserve) * window - overheadTokens) / tokenRatio - system);
}

/**
 * Returns the index of the first message that may be new.
 *
 * A graph without the `compaction` channel does not record what was unfolded. There, a message that the model has seen whole is
 * not new.
 */
function startOf(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  { state, due }: KnownOfStep,
): number {
  if (state === undefined) {
    const { reason } = due ?? compactionDue(messages, options, undefined);
    return reason === undefined ? unseenStart(messages) : 0;
  }
  const { unfoldedAt } = state;
  return unfoldedAt === undefined ? 0 : messages.findLastIndex(({ id }) => id === unfoldedAt) + 1;
}
