import type { BaseMessage } from "@langchain/core/messages";
import { triggerTokens } from "@palimpsest/context/internal";
import type { ResolvedOptions } from "../options/resolve-options.js";
import type { CompactionState } from "../run/context-state.js";
import { measureOf } from "../run/measure.js";
import { knownState } from "../run/node-state.js";
import { agentTriggerOf, hasGrown, isTooEarly } from "./compaction-due.js";
import { compactionFacts } from "./compaction-facts.js";
import { planCompaction } from "./plan-compaction.js";

/**
 * Returns the answer to a request that would be refused, or undefined if it would be carried out.
 *
 * Refuses a context below `agentTrigger`, one that has hardly grown since a compaction found nothing to free, and one of which
 * nothing may be folded or too much must stay. Pure.
 */
export function refuseRequest(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): string | undefined {
  const known = knownState(messages, state);
  const measure = measureOf(messages, options, known);
  const { tokens } = measure;
  const percent = (part: number) => `${Math.round((100 * part) / options.contextWindow)} %`;
  if (isTooEarly({ tokens, messages: messages.length }, options)) {
    const from = triggerTokens(agentTriggerOf(options), options.contextWindow);
    const when = from === undefined ? "" : `; ask again from ${percent(from)} on`;
    return `Nothing was compacted: only ${percent(tokens)} of the window is used${when}. Go on with your work.`;
  }
  const used = `Nothing was compacted: ${percent(tokens)} of the window is used, but`;
  const way = "Go on with your work, and read large files in parts.";
  if (!hasGrown(tokens, known)) return `${used} at this size hardly anything could be freed. ${way}`;
  const { refusal, limits, span } = planCompaction(
    compactionFacts(messages, { options, measure, reason: "agent" }),
  );
  if (refusal?.reason === "floor")
    return `${used} ${percent(limits.minimumTokens())} must stay: the system prompt, pins and the newest messages. ${way}`;
  return span === undefined ? `${used} nothing of it can be folded yet. ${way}` : undefined;
}
