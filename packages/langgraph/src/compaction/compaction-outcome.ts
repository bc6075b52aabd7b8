import type { BaseMessage } from "@langchain/core/messages";
import { isTriggered, type Fold, type Rewrite } from "@palimpsest/context";
import { pinnedFiles, type SummaryTokens } from "@palimpsest/context/internal";
import type { CompactionReason, CompactionStrategy, SkipReason } from "../context-event.js";
import type { CompactionState } from "../run/context-state.js";
import type { Reporter } from "../run/reporter.js";
import type { Step } from "../run/step.js";
import type { CompactionResult } from "./apply-plan.js";
import type { LadderReason } from "./compaction-due.js";
import type { CompactionFacts } from "./compaction-facts.js";
import { plannerReport } from "./planner/planner-report.js";

/** What became of a compaction that was due. */
export interface CompactionOutcome {
  /** Why it was due. */
  readonly due: LadderReason;
  /** @default false: nothing was compacted */
  readonly isApplied?: boolean;
  /** Why it was refused. */
  readonly reason?: SkipReason | undefined;
  /** Returns the fewest tokens that any compaction could leave. */
  readonly minimumTokens: () => number;
}

/** Sends the events of a compaction that is not applied, and returns the update of the state. */
export function refusedState(
  result: CompactionResult,
  { reason }: CompactionFacts,
  step: Step,
): CompactionState {
  const { report, known } = step;
  const { refusal, tokensBefore } = result;
  if (refusal === undefined) return { refusedAt: tokensBefore };
  const { threadId } = report;
  if (isNews(refusal.reason, reason, known))
    report.send({ type: "context.skip", due: reason, ...refusal, threadId });
  const overflow = reportOverflow(result, reason, step);
  return { refusedAt: tokensBefore, refusedFor: refusal.reason, ...overflow };
}

/** Returns true for a reason that was not reported yet. A compaction that was asked for reports every refusal. */
function isNews(
  reason: SkipReason,
  due: CompactionFacts["reason"],
  known: CompactionState | undefined,
): boolean {
  if (due === "agent" || due === "overflow" || due === "user") return true;
  return known?.refusedFor !== reason;
}

interface Applied {
  /** The messages as they came in, with or without ids. */
  readonly before: readonly BaseMessage[];
  readonly facts: CompactionFacts;
  /** The step, whose messages are the new context. */
  readonly step: Step;
  /** Tokens of the summary calls. */
  readonly usage: SummaryTokens | undefined;
}

/** Sends the events of a committed compaction, and returns the update of the state. */
export function appliedState(
  result: CompactionResult,
  { before, facts, step, usage }: Applied,
): CompactionState {
  const { tokensBefore, tokensAfter, rewrite } = result;
  const { folds = [] } = rewrite ?? {};
  const { options, reason, measure, agentReason } = facts;
  const { report, known, messages } = step;
  const { threadId } = report;
  const span = known?.prepared;
  if (folds.some(({ id }) => id === `summary-${span?.digest}`)) reportPrepared(folds, report);
  const strategy = strategyOf(folds);
  const spent = strategy === "summarize" ? usage : undefined;
  const sizes = { measure, state: known, after: messages, tokensAfter };
  const planned = plannerReport(facts.messages, { options, ...sizes, usage: spent });
  const overflow = reportOverflow(result, reason, step);
  reportPins(facts, report);
  if (result.overflow === undefined) {
    report.send({
      type: "context.compaction",
      reason,
      strategy,
      tokensBefore,
      tokensAfter,
      window: options.contextWindow,
      messagesBefore: before.length,
      messagesAfter: messages.length,
      ...(agentReason === undefined ? {} : { agentReason }),
      ...(spent === undefined ? {} : { usage: spent }),
      ...(planned.bill === undefined ? {} : { bill: planned.bill }),
      threadId,
    });
  }
  // While the trigger is still met, every step would compact again and free little: wait until the context has grown.
  const size = { ...options, tokens: tokensAfter, messages: messages.length };
  const pause = isTriggered(options.trigger, size)
    ? { refusedAt: tokensAfter }
    : { refusedAt: 0, refusedFor: "" as const };
  const cleared = span === undefined ? {} : { prepared: undefined };
  return { ...measuredState(measure, known), ...pause, ...cleared, ...overflow, ...planned.state };
}

/** Returns what later measurements start from. The error of the count is written only if it has changed. */
function measuredState(
  { overheadTokens, tokenRatio, countError }: CompactionFacts["measure"],
  known: CompactionState | undefined,
): CompactionState {
  return { overheadTokens, tokenRatio, ...(countError === known?.countError ? {} : { countError }) };
}

/** Reports that a prepared summary is applied. */
function reportPrepared(folds: Rewrite["folds"], report: Reporter): void {
  const messages = folds.reduce((sum, { covers }) => sum + covers.length, 0);
  report.send({ type: "context.prepare", step: "applied", messages, threadId: report.threadId });
}

/** Reports the pinned files whose calls were folded. They are in the archive, like everything folded. */
function reportPins({ messages, options, reason }: CompactionFacts, report: Reporter): void {
  const { leftOut } = pinnedFiles(messages, options);
  if (leftOut.length === 0) return;
  const { threadId } = report;
  report.send({ type: "context.pins", leftOut, limit: options.pinFileTokens, reason, threadId });
}

function strategyOf(folds: Rewrite["folds"]): CompactionStrategy {
  if (folds.some(isSummary)) return "summarize";
  return folds.some(({ kind }) => kind === "trim") ? "archive" : "shorten";
}

/** The fold of a compaction that the provider made by itself names no newest message. */
function isSummary({ kind, newest }: Fold): boolean {
  return kind === "summary" || (kind === "native" && newest !== undefined);
}

/** Factor by which a prompt has to grow before the same overflow is reported again. */
const growth = 1.05;

/**
 * Sends `context.overflow` for a plan that leaves the prompt over the window, and returns the update of the state.
 *
 * A reason is reported once, and again when the prompt has grown. A compaction that ends over the window is reported every
 * time, because it has no other event.
 */
function reportOverflow(
  { overflow, tokensBefore, tokensAfter, rewrite }: CompactionResult,
  reason: CompactionReason,
  { options, report, known }: Step,
): Pick<CompactionState, "overflow"> {
  const [largest] = overflow ?? [];
  const earlier = known?.overflow;
  if (overflow === undefined || largest === undefined)
    return earlier === undefined ? {} : { overflow: undefined };
  const isNews = earlier?.reason !== largest.reason || tokensAfter > earlier.tokens * growth;
  if (rewrite === undefined && !isNews) return {};
  const { threadId } = report;
  const window = options.maxPromptTokens;
  const listed = overflow.map((part) => `${part.reason} ${part.tokens}`).join(", ");
  const message =
    `The prompt takes ${tokensAfter} tokens of a window of ${window}, and no part of it can be shortened further ` +
    `(${listed}): use a model with a larger window, or reduce the parts that cannot be folded`;
  const sizes = { tokensBefore, tokens: tokensAfter, window, parts: overflow };
  report.send({ type: "context.overflow", reason, ...sizes, message, threadId });
  return { overflow: { reason: largest.reason, tokens: tokensAfter } };
}
