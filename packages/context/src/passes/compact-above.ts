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
  /** Markdown that the model will read of what is folded. @default a note, without a summary */
  readonly text?: string | undefined;
  /** Why the fold is made; kept with it. */
  readonly reason?: string | undefined;
}

/**
 * Returns where to cut so that the context begins with a message: its index, or where cutting there is not legal or the
 * model has not seen what stands above it, the nearest legal point before.
 *
 * Pure.
 * @throws ContextError `unknown-message` when no message has the id.
 */
export function cutAbove(messages: readonly BaseMessage[], messageId: string): number {
  const index = messages.findIndex(({ id }) => id === messageId);
  if (index < 0) {
    throw new ContextError(
      "unknown-message",
      `No message of the context has the id ${JSON.stringify(messageId)}: pass the id of one that stands in it`,
    );
  }
  const most = Math.min(index, unseenStart(messages));
  return cutPoints(messages, foldRules).findLast((point) => point <= most) ?? 0;
}

/**
 * Returns what to fold so that the context begins with a message, or undefined when nothing above it is left to fold.
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
 * Returns the context with everything above a message folded into one stand-in: a summary with a `text`, otherwise a
 * note that says where the originals are.
 *
 * Pure. The user's words and pins stay, as they do in every compaction.
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
