import type { BaseMessage } from "@langchain/core/messages";
import { defaults, foldOf, isTriggered } from "@palimpsest/context";
import {
  isWholeFold,
  maxCountError,
  once,
  scaleTrigger,
  type ContextMeasure,
  type ContextSize,
} from "@palimpsest/context/internal";
import type { CompactionReason } from "../context-event.js";
import type { CompactionState } from "../run/context-state.js";
import { atMostOf, measureOf, safeWindow } from "../run/measure.js";
import { knownState } from "../run/node-state.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { agentRequest } from "./agent-request.js";
import { isPlanned } from "./planner/planner-facts.js";

/** Factor by which a context has to grow after a refused compaction before it is tried again. */
const growth = 1.05;

/** Why the ladder runs. Large new results are offloaded without a reason. */
export type LadderReason = Exclude<CompactionReason, "arrival">;

export interface CompactionDue {
  /** Measures at the first call: most steps need no measure, because an upper bound is below every limit. */
  readonly measure: () => ContextMeasure;
  /** The measure, if it was needed. */
  readonly measured?: ContextMeasure;
  /** Undefined when nothing is due beyond the offloading of new results. */
  readonly reason: LadderReason | undefined;
}

/**
 * Returns the size of the context, and why it should be compacted, if it should. Pure, except for the clock of a planner.
 *
 * A prompt over the window is always due, whatever the trigger, `minMessages` or an earlier refusal say. One that would
 * be over it, were it under-counted as much as the newest prompts, is due as if it met the trigger.
 */
export function compactionDue(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): CompactionDue {
  const known = knownState(messages, state);
  const measure = once(() => measureOf(messages, options, known));
  if (agentRequest(messages) !== undefined && !isCompactedAt(messages)) return { measure, reason: "agent" };
  const { planner, trigger, contextWindow, maxPromptTokens } = options;
  const isAtLimit = (tokens: number, window: number) =>
    tokens > window || isTriggered(trigger, { tokens, messages: messages.length, contextWindow });
  // Hot path: nearly every step ends here, and counts only what is new.
  const atMost = planner === undefined ? atMostOf(messages, options, known) : Infinity;
  if (!isAtLimit(atMost, safeWindow(maxPromptTokens, { countError: maxCountError })))
    return { measure, reason: undefined };
  const measured = measure();
  const { tokens } = measured;
  const window = safeWindow(maxPromptTokens, measured);
  const few = messages.length < (options.minMessages ?? 0);
  if (tokens <= maxPromptTokens && (few || !hasGrown(tokens, known)))
    return { measure, measured, reason: undefined };
  if (!isAtLimit(tokens, window)) {
    const planning = { options, measure: measured, state: known };
    const pays = planner !== undefined && isPlanned(messages, { ...planning, planner });
    return { measure, measured, reason: pays ? "planned" : undefined };
  }
  return { measure, measured, reason: options.agentControlled === true ? "safety-net" : "trigger" };
}

/** Returns the report of usage that cannot be true, unless the host has been told of one. Pure. */
export function untoldDispute(
  { disputed }: Pick<ContextMeasure, "disputed">,
  state: CompactionState | undefined,
): ContextMeasure["disputed"] {
  return state?.disputedUsage === true ? undefined : disputed;
}

/** Returns true if no compaction was refused, or if the context has grown enough since then for another attempt. Pure. */
export function hasGrown(tokens: number, state: CompactionState | undefined): boolean {
  return tokens >= (state?.refusedAt ?? 0) * growth;
}

/** Returns true if the context was compacted after its newest message: a request is carried out once. */
export function isCompactedAt(messages: readonly BaseMessage[], reason?: CompactionReason): boolean {
  const newest = messages.at(-1)?.id;
  return messages.some((message) => {
    const fold = foldOf(message);
    const isCompaction = fold !== undefined && isWholeFold(fold);
    return isCompaction && fold.newest === newest && (reason === undefined || fold.reason === reason);
  });
}

/** Returns true if the context is too small for a requested compaction to pay. Pure. */
export function isTooEarly(size: Omit<ContextSize, "contextWindow">, options: ResolvedOptions): boolean {
  const { contextWindow } = options;
  return !isTriggered(agentTriggerOf(options), { ...size, contextWindow });
}

/** The size from which a request of the agent is carried out. */
export function agentTriggerOf({ agentTrigger, trigger }: ResolvedOptions) {
  return agentTrigger ?? scaleTrigger(trigger, defaults.agentShare);
}
