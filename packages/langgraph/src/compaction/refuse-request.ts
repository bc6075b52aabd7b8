import type { BaseMessage } from "@langchain/core/messages";
import { defaults, isTriggered } from "@palimpsest/context";
import { scaleTrigger, triggerTokens, type ContextSize } from "@palimpsest/context/internal";
import type { CompactionState } from "../edge/context-state.js";
import { notedState } from "../edge/node-state.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { hasGrown, measureOf } from "./compaction-due.js";

/** True when a context is too small for a request of the agent to pay. Pure. */
export function isTooEarly(size: Omit<ContextSize, "contextWindow">, options: ResolvedOptions): boolean {
  const { contextWindow } = options;
  return !isTriggered(agentTriggerOf(options), { ...size, contextWindow });
}

/**
 * Returns what to tell an agent whose request would not be met, or undefined when it would.
 *
 * Refused is a context below `agentTrigger`, and one that has hardly grown since a compaction found nothing to free.
 * Pure.
 */
export function refuseRequest(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): string | undefined {
  const known = state ?? notedState(messages);
  const { tokens } = measureOf(messages, options, known);
  const share = (part: number) => `${Math.round((100 * part) / options.contextWindow)} %`;
  if (isTooEarly({ tokens, messages: messages.length }, options)) {
    const from = triggerTokens(agentTriggerOf(options), options.contextWindow);
    const when = from === undefined ? "" : `; ask again from ${share(from)} on`;
    return `Nothing was compacted: only ${share(tokens)} of the window is used${when}. Go on with your work.`;
  }
  if (hasGrown(tokens, known)) return undefined;
  return (
    `Nothing was compacted: ${share(tokens)} of the window is used, but at this size hardly anything could be freed. ` +
    "Go on with your work, and read large files in parts."
  );
}

function agentTriggerOf({ agentTrigger, trigger }: ResolvedOptions) {
  return agentTrigger ?? scaleTrigger(trigger, defaults.agentShare);
}
