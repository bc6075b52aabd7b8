import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, isTriggered, measureContext } from "@palimpsest/context";
import { type ContextMeasure } from "@palimpsest/context/internal";
import type { CompactionReason } from "../edge/context-event.js";
import type { CompactionState } from "../edge/context-state.js";
import { notedState } from "../edge/node-state.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { agentRequest } from "./agent-request.js";
import { isPlanned } from "./plan-facts.js";

/** Share by which a context has to grow after a refused compaction before it is tried again. */
const growth = 1.05;

interface CompactionDue {
  readonly measure: ContextMeasure;
  /** Undefined when nothing is due beyond the offloading of new results. */
  readonly reason: Exclude<CompactionReason, "arrival"> | undefined;
}

/**
 * Returns how large the context is and why it should be compacted, if it should. Pure, but for the clock of a planner.
 *
 * A prompt over the window is always due, whatever the trigger, `minMessages` or an earlier refusal say.
 */
export function compactionDue(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): CompactionDue {
  const known = state ?? notedState(messages);
  const measure = measureOf(messages, options, known);
  if (agentRequest(messages) !== undefined && !isCompactedAt(messages)) return { measure, reason: "agent" };
  const { trigger, contextWindow } = options;
  const size = { tokens: measure.tokens, messages: messages.length, contextWindow };
  const isOver = measure.tokens > options.maxPromptTokens;
  const few = messages.length < (options.minMessages ?? 0);
  if (!isOver && (few || !hasGrown(measure.tokens, known))) return { measure, reason: undefined };
  if (!isOver && !isTriggered(trigger, size)) {
    const { planner } = options;
    const pays = planner !== undefined && isPlanned(messages, { options, planner, measure, state: known });
    return { measure, reason: pays ? "planned" : undefined };
  }
  return { measure, reason: options.agentControlled === true ? "safety-net" : "trigger" };
}

/** True when a context is large enough for another try, or none was refused. Pure. */
export function hasGrown(tokens: number, state: CompactionState | undefined): boolean {
  return tokens >= (state?.refusedAt ?? 0) * growth;
}

/** Returns the size of the next prompt. Pure. */
export function measureOf(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): ContextMeasure {
  return measureContext(messages, {
    tokenCounter: options.tokenCounter,
    overheadTokens: state?.overheadTokens,
    tokenRatio: state?.tokenRatio,
    unfoldedAt: state?.unfoldedAt,
    ...(options.systemPrompt === undefined ? {} : { systemPrompt: options.systemPrompt }),
    ...(options.tools === undefined ? {} : { tools: options.tools }),
  });
}

/** True when the context was compacted with its present newest message in it: the same request is not met twice. */
export function isCompactedAt(messages: readonly BaseMessage[], reason?: CompactionReason): boolean {
  const newest = messages.at(-1)?.id;
  return messages.some((message) => {
    const fold = foldOf(message);
    const kinds = fold?.kind === "summary" || fold?.kind === "trim";
    return kinds && fold.newest === newest && (reason === undefined || fold.reason === reason);
  });
}
