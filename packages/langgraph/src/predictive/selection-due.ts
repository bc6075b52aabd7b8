import type { BaseMessage } from "@langchain/core/messages";
import { foldOf } from "@palimpsest/context";
import { isToolResult, isUserMessage, openSteps } from "@palimpsest/context/internal";
import { isIntervalOver } from "../epochs/rewrite-interval.js";
import type { ResolvedPredictive } from "./predictive-options.js";

const chunkKind = new Set(["chunk"] as const);

interface SelectionState extends Pick<
  ResolvedPredictive,
  "tokenCounter" | "budget" | "targetFraction" | "from" | "every"
> {
  /** The host has changed what was sent before: an interval has no cached prefix to keep. */
  readonly isEdited: boolean;
}

/**
 * Returns whether a new selection is due: over the budget, after a new message of the user, with `targetFraction: 1` at each
 * step, and with `from: "start"` from the first step, and where a result stands without its call. The interval `every` lies between two selections, unless the context is over
 * the budget or the host has changed it.
 */
export function isDue(
  currentContext: readonly BaseMessage[],
  messages: readonly BaseMessage[],
  { tokenCounter, budget, targetFraction, from, every, isEdited }: SelectionState,
): boolean {
  if (tokenCounter(currentContext) > budget) return true;
  const last = currentContext.at(-1);
  const selected = currentContext.findLast((message) => foldOf(message)?.kind === "chunk");
  // The host has edited a result that a selection does not show: its call comes with the next one.
  if (selected !== undefined && [...openSteps(currentContext)].some(isToolResult)) return true;
  const interval = { every, kinds: chunkKind, limit: budget, tokenCounter };
  if (selected !== undefined && !isEdited && !isIntervalOver(currentContext, interval)) return false;
  const isNew = selected !== undefined && isBehind(last, selected);
  if (targetFraction < 1) return isNew && last !== undefined && isUserMessage(last);
  return isNew || (selected === undefined && (from === "start" || tokenCounter(messages) > budget));
}

/** True for a message that came after a selection was made. */
function isBehind(last: BaseMessage | undefined, selected: BaseMessage): boolean {
  return last !== selected && foldOf(selected)?.newest !== last?.id;
}
