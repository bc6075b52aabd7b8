import type { BaseMessage } from "@langchain/core/messages";
import { dropStaleReasoning, withIds } from "@palimpsest/context";
import { reconcile } from "@palimpsest/context/internal";
import { commitRewrite, mustThrow } from "../edge/commit.js";
import type { CompactionState } from "../edge/context-state.js";
import { notedState } from "../edge/node-state.js";
import { reportNative } from "../edge/report-native.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { runSignal } from "../edge/run-config.js";
import { writeSummary, type WrittenSummary } from "../summary/write-summary.js";
import { applyPlan } from "./apply-plan.js";
import { withBudgetLines } from "./budget-lines.js";
import { prepareSummary, takePrepared } from "./background-summary.js";
import { compactionDue, hasGrown, type LadderReason } from "./compaction-due.js";
import { appliedOutcome, refusedOutcome } from "./compaction-outcome.js";
import {
  compactionStep,
  runContext,
  type CompactInput,
  type CompactionStep,
  type CompactOutcome,
  type RunContext,
} from "./compaction-step.js";
import { offloadArrivals } from "./offload-arrivals.js";
import { planCompaction, type CompactionPlan } from "./plan-compaction.js";
import { callNote } from "./planner-report.js";

/**
 * Returns the context after one run of the ladder: new results offloaded, and compacted when that is due.
 *
 * One core for the nodes, the overflow handler and the middleware. An error before the commit has ended leaves the messages
 * as they were and sends an event; `mustThrow` says which errors reach the host.
 */
export async function compact(input: CompactInput, resolved: ResolvedOptions): Promise<CompactOutcome> {
  const run = runContext(input, resolved);
  if (run === undefined) return { messages: input.messages };
  if (input.request === undefined && input.overflow !== true) reportNative(input.messages, run.report);
  let { messages } = input;
  try {
    messages = await reconcile(messages, (path) => run.archive.readText(path));
    if (input.only === undefined) messages = await offload(messages, input, run);
    const outcome = await compactWhenDue({ ...input, messages }, run);
    const note = callNote(outcome.messages, run.options);
    const noted = note === undefined ? outcome : { ...outcome, state: { ...outcome.state, ...note } };
    return withBudgetLines(noted, { before: input.messages, state: input.state, options: run.options });
  } catch (error) {
    if (mustThrow(error, run)) throw error;
    run.report.fail("compaction", error);
    return { messages };
  }
}

/** Returns the messages with the results that are too large in the archive. */
async function offload(
  messages: readonly BaseMessage[],
  { state, overflow }: CompactInput,
  run: RunContext,
): Promise<readonly BaseMessage[]> {
  const { options } = run;
  const known = overflow === true ? {} : state;
  // Hot path: nearly every step ends here. Ids cost more than all the rest, so they are made only when there is a fold.
  const arrivals = offloadArrivals(messages, options, known);
  if (arrivals.folds.length === 0) return messages;
  const named = withIds(messages);
  const offloaded = named === messages ? arrivals : offloadArrivals(named, options, known);
  const rewrite = dropStaleReasoning(named, offloaded, options.tokenCounter);
  return (await commitRewrite(rewrite, { ...run, reason: "arrival" })) ? rewrite.messages : messages;
}

/** Measure, due, plan, model call, apply, commit: returns what came in when no compaction is due, possible or worth it. */
async function compactWhenDue(input: CompactInput, run: RunContext): Promise<CompactOutcome> {
  const { options } = run;
  const { measure, reason: due } = compactionDue(input.messages, options, input.state);
  const reason = reasonOf(input, due);
  if (reason === undefined) return prepareAhead(input, run);

  const step = compactionStep(input.messages, { ...input, options, measure, reason });
  const known = input.state ?? notedState(step.messages);
  const prepared = takesPrepared(step) ? await takePrepared(step, run, known) : undefined;
  const plan = planCompaction(step, prepared);

  const isAsked = plan.span !== undefined && mayWrite(step, known);
  const written = isAsked ? await writeSpan(plan, step, run) : undefined;

  const result = applyPlan(plan, written, step);
  const { rewrite } = result;
  const outcome = { before: input.messages, step, run, known };
  if (rewrite === undefined) return refusedOutcome(result, outcome);

  const isCommitted = await commitRewrite(rewrite, { ...run, reason });
  if (!isCommitted) return { messages: input.messages, state: { refusedAt: result.tokensBefore } };
  const usage = (isAsked ? written : prepared?.written)?.usage;
  return appliedOutcome({ ...result, rewrite }, { ...outcome, usage });
}

function reasonOf(input: CompactInput, due: LadderReason | undefined): LadderReason | undefined {
  if (input.overflow === true) return "overflow";
  return input.request === undefined ? due : "user";
}

/** Begins the summary of what a compaction would fold, where it is time for that. */
function prepareAhead(input: CompactInput, run: RunContext): CompactOutcome {
  const { messages, config } = input;
  const { options } = run;
  const known = input.state ?? notedState(messages);
  if (known?.overflow !== undefined) return { messages, state: { overflow: undefined } };
  if (options.prepareAt === undefined || options.summaryModel === undefined) return { messages };
  const named = withIds(messages);
  const state = prepareSummary(named, { ...run, state: known, signal: runSignal(config) });
  return state === undefined ? { messages } : { messages: named, state };
}

/** Returns false for a compaction that wants a summary of its own: of another span, or without the agent's doubts. */
function takesPrepared({ preserveMarkers, reason, summaryOnly }: CompactionStep): boolean {
  return preserveMarkers && reason !== "user" && !summaryOnly;
}

/**
 * Returns false when the request is for the archive alone, and where a summary was written for nearly this size and the context
 * is over the window all the same: the model is not paid again, and the passes that call no model go on.
 */
function mayWrite(
  { strategy, reason, measure }: CompactionStep,
  known: CompactionState | undefined,
): boolean {
  if (strategy === "archive") return false;
  const isAutomatic = reason === "trigger" || reason === "safety-net";
  return !isAutomatic || hasGrown(measure.tokens, known) || known?.refusedFor === "floor";
}

/** Asks the summary model for what stands for the span of a plan; undefined where no summary can be had. */
async function writeSpan(
  { span }: CompactionPlan,
  { messages: live, preserveMarkers }: CompactionStep,
  { options, report, signal }: RunContext,
): Promise<WrittenSummary | undefined> {
  return writeSummary(span?.region ?? [], { options, report, signal, preserveMarkers, live });
}
