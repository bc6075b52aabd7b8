import type { BaseMessage } from "@langchain/core/messages";
import { ContextError } from "../context-error.js";
import { cutPoints, foldRules } from "../cuts/cut-rules.js";
import { unseenStart } from "../cuts/find-cutoff.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { applySummary } from "../summary/apply-summary.js";
import { planSummary, type PlanSummaryOptions, type SummaryPlan } from "../summary/plan-summary.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { trimToArchive } from "./trim-to-archive.js";

export type PlanAboveOptions = Omit<PlanSummaryOptions, "cut">;

export interface CompactAboveOptions extends PlanAboveOptions {
  /** Markdown summary of the folded messages for the model. @default a note without a summary */
  readonly text?: string | undefined;
  /** Reason for the fold; stored with it. */
  readonly reason?: string | undefined;
}

/**
 * Returns the cut point that makes the context start at a message: its index, or the nearest legal cut point before it
 * when that index is not legal or the model has not seen all messages above it.
 *
 * Pure.
 * @throws ContextError `unknown-message` when no message has the id.
 */
export function cutAbove(messages: readonly BaseMessage[], messageId: string): number {
  const index = messages.findIndex(({ id }) => id === messageId);
  if (index < 0) {
    throw new ContextError(
      "unknown-message",
      `No message of the context has the id ${JSON.stringify(messageId)}: pass the id of one of its messages`,
    );
  }
  const maxCut = Math.min(index, unseenStart(messages));
  return cutPoints(messages, foldRules).findLast((point) => point <= maxCut) ?? 0;
}

/**
 * Plans the fold of everything above a message, or returns undefined when nothing above it can be folded.
 *
 * Pure. Cuts at `cutAbove`.
 * @throws ContextError `unknown-message` when no message has the id.
 */
export function planAbove(
  messages: readonly BaseMessage[],
  messageId: string,
  options: PlanAboveOptions = {},
): SummaryPlan | undefined {
  return planSummary(messages, { ...options, cut: cutAbove(messages, messageId) });
}

/**
 * Folds everything above a message into one stand-in: a summary when `text` is present, otherwise a note with the path
 * of the originals.
 *
 * Pure. Keeps the user's words and pins, like every compaction.
 * @throws ContextError `unknown-message` when no message has the id.
 */
export function compactAbove(
  messages: readonly BaseMessage[],
  messageId: string,
  { text, reason, ...options }: CompactAboveOptions = {},
): Rewrite {
  const { tokenCounter = estimateTokens } = options;
  const plan = planAbove(messages, messageId, options);
  if (plan === undefined) return unchanged(messages);
  if (text === undefined) return trimToArchive(plan, { tokenCounter, reason });
  return applySummary(plan, { text, reason, tokenCounter });
}
