import { withUsage, type ContextMeasure } from "@palimpsest/context/internal";
import type { CompactionState } from "../run/context-state.js";
import type { Plan } from "../run/run-step.js";
import type { Step } from "../run/step.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { writeNative } from "../summary/write-native.js";
import { writeSummary, type WrittenSummary } from "../summary/write-summary.js";
import { applyPlan } from "./apply-plan.js";
import { reportBypass } from "./bypassed-call.js";
import { budgetLinesFor } from "./budget-lines.js";
import { compactionDue, hasGrown, untoldDispute, type CompactionDue } from "./compaction-due.js";
import { appliedState, refusedState, type CompactionOutcome } from "./compaction-outcome.js";
import { compactionFacts, type CompactionFacts, type HostRequest } from "./compaction-facts.js";
import { keeping, planWithPrepared, prepareAhead } from "./prepared/prepared-plan.js";
import { offloadArrivalsOf } from "./offload-arrivals.js";
import type { CompactionPlan } from "./plan-compaction.js";
import { callNote } from "./planner/planner-report.js";

export interface LadderOptions {
  /** The host asks for a compaction, whatever the size. */
  readonly request?: HostRequest | undefined;
  /** Goes straight to the summary: no offloading, no cheaper rung. */
  readonly only?: "summary";
}

/**
 * Returns the plan of the ladder: large new results are offloaded, and the context is compacted if that is due.
 *
 * The nodes, the overflow handler, the middleware and `compactThread` share it.
 */
export function ladder(how: LadderOptions = {}): Plan<ResolvedOptions> {
  return async function runLadder(step) {
    const { options } = step;
    const due =
      (how.only === undefined ? await offload(step) : undefined) ??
      compactionDue(step.messages, options, step.remembered);
    const disputed = due.measured && disputeNote(step, due.measured);
    const { state, outcome } = await compactWhenDue(step, due, how);
    const update = {
      ...state,
      ...disputed,
      ...(options.planner && callNote(step.messages, options.planner)),
    };
    return { ...update, ...budgetLinesFor(step, update, outcome) };
  };
}

/**
 * Offloads the results and user messages that are too large. In a graph without the channel that depends on whether a compaction is
 * due: where nothing is offloaded, the answer holds, and is returned so that the ladder need not ask again.
 */
async function offload(step: Step): Promise<CompactionDue | undefined> {
  const { messages, input, options, overflow } = step;
  // Originals that were held in state are new again, whatever was unfolded.
  const isOpened = step.known?.unfoldedAt !== input.state?.unfoldedAt;
  const state = overflow ? {} : isOpened ? (input.state ?? {}) : input.state;
  // Hot path: nearly every step ends here. Ids are the most expensive part, so they are made only for a fold.
  const due = state === undefined ? compactionDue(messages, options, step.remembered) : undefined;
  const rewrite = offloadArrivalsOf(messages, options, { state, due });
  if (rewrite.folds.length === 0) return due;
  const list = step.nameMessages();
  const isSame = list === messages;
  const applied = isSame ? rewrite : offloadArrivalsOf(list, options, { state, due });
  await step.apply(step.valid(applied), "arrival");
  return undefined;
}

/** Tells once of a thread that a reply reports a size that cannot be true, and returns the note of it. */
function disputeNote(step: Step, measure: ContextMeasure): CompactionState {
  const disputed = untoldDispute(measure, step.known);
  if (disputed === undefined) return {};
  const { messageId = "without an id", reported, counted } = disputed;
  const message =
    `The message ${messageId} reports an input of ${reported} tokens for a prompt of about ${counted}: its size is counted ` +
    "instead. Make the model or proxy report the whole input, with what it reads from its cache, and send all messages of the context";
  step.report.fail("usage", new Error(message), "estimate");
  return { disputedUsage: true };
}

interface Compacted {
  /** The update of the state. */
  readonly state: CompactionState | undefined;
  /** Undefined if no compaction was due. */
  readonly outcome?: CompactionOutcome;
}

/** Measure, due, plan, model call, apply. */
async function compactWhenDue(step: Step, due: CompactionDue, how: LadderOptions): Promise<Compacted> {
  const reason = step.overflow ? "overflow" : how.request === undefined ? due.reason : "user";
  if (reason === undefined) return { state: prepareAhead(step) };

  reportBypass(step, due);
  const before = step.messages;
  const facts = compactionFacts(before, { ...how, options: step.options, measure: due.measure(), reason });
  const { plan, prepared } = await planWithPrepared(facts, step);

  const isAsked = plan.span !== undefined && !step.isDown && mayWrite(facts, step.known);
  const native = isAsked ? await askProvider(plan, facts, step) : undefined;
  const written = isAsked && native === undefined ? await writeSpan(plan, facts, step) : undefined;

  const result = applyPlan({ ...plan, ...native }, written, facts);
  const { minimumTokens } = plan.limits;
  if (result.rewrite === undefined) {
    const outcome = { due: reason, reason: result.refusal?.reason, minimumTokens };
    return { state: refusedState(result, facts, step), outcome };
  }
  const usage = (native ?? (isAsked ? written : prepared?.written))?.usage;
  const rewrite = await keeping(result.rewrite, written, { ...plan, facts, step });
  const isApplied = await step.apply(withUsage(rewrite, usage), reason);
  const state = isApplied
    ? appliedState(result, { before, facts, step, usage })
    : { refusedAt: result.tokensBefore };
  return { state, outcome: { due: reason, isApplied, minimumTokens } };
}

/**
 * Returns false if the host asked for no summary, or if a summary at nearly this size has already left the context over the
 * window: another call would cost money and not help, so only the passes without a model run. An extracted summary calls no
 * model, so it is always tried.
 */
function mayWrite(
  { strategy, reason, measure, options }: CompactionFacts,
  known: CompactionState | undefined,
): boolean {
  if (strategy === "archive") return false;
  if (options.summaryModel === undefined) return true;
  const isAutomatic = reason === "trigger" || reason === "safety-net";
  return !isAutomatic || hasGrown(measure.tokens, known) || known?.refusedFor === "floor";
}

/** Asks the provider to compact the span of a plan, if the options say so; undefined if a summary must be written. */
async function askProvider(
  { span, limits }: CompactionPlan,
  { messages, options, reason }: CompactionFacts,
  { report, signal }: Step,
) {
  // The provider would refuse the same prompt again.
  if (span === undefined || options.compactNatively === undefined || reason === "overflow") return undefined;
  const cut = messages.length - span.plans[0].plan.tail.length;
  const fits = (list: CompactionFacts["messages"]) => limits.size(list) <= limits.maxSummaryTokens;
  return writeNative(messages, { options, report, signal, reason, cut, fits });
}

/** Returns the summary of the span of a plan; undefined if none can be written. */
async function writeSpan(
  { span }: CompactionPlan,
  { preserveMarkers }: CompactionFacts,
  { options, report, signal, read }: Step,
): Promise<WrittenSummary | undefined> {
  return writeSummary(span?.region ?? [], { options, report, signal, read, preserveMarkers });
}
