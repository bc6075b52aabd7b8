import type { BaseMessage } from "@langchain/core/messages";
import { dropStaleReasoning, withIds, type Rewrite } from "@palimpsest/context";
import { joinRewrites, withUsage } from "@palimpsest/context/internal";
import { commitRewrite, holdRewrite, mustThrow, reportCounter } from "../run/commit.js";
import type { CompactionState } from "../run/context-state.js";
import { notedState } from "../run/node-state.js";
import { reportNative } from "../run/reporter.js";
import { openContext, validAfterOpening, type OpenedContext } from "../run/open-context.js";
import type { ResolvedOptions } from "../options/resolve-options.js";
import { newScope, runSignal } from "../run-config.js";
import { writeNative } from "../summary/write-native.js";
import { writeSummary, type WrittenSummary } from "../summary/write-summary.js";
import { applyPlan } from "./apply-plan.js";
import { withBudgetLines } from "./budget-lines.js";
import { prepareSummary, takePrepared } from "./background-summary.js";
import { dueOnce, hasGrown, measureOf, type LadderReason } from "./compaction-due.js";
import { appliedOutcome, refusedOutcome } from "./compaction-outcome.js";
import {
  compactionStep,
  runContext,
  threadOf,
  type CompactInput,
  type CompactionStep,
  type CompactOutcome,
  type RunContext,
} from "./compaction-step.js";
import { offloadArrivalsOf } from "./offload-arrivals.js";
import { planCompaction, type CompactionPlan } from "./plan-compaction.js";
import { callNote } from "./planner-report.js";
import { countAhead } from "../options/counted-ahead.js";

/**
 * Returns the context after one run of the ladder: large new results are offloaded, and the context is compacted if that is due.
 *
 * The nodes, the overflow handler and the middleware share it. An error before the end of the commit leaves the messages
 * unchanged and sends an event; `mustThrow` says which errors reach the host.
 */
export async function compact(given: CompactInput, resolved: ResolvedOptions): Promise<CompactOutcome> {
  const scope = threadOf(given) === undefined ? newScope() : undefined;
  const input = scope === undefined ? given : { ...given, scope };
  const run = runContext(input, resolved);
  if (run === undefined) return { messages: input.messages };
  if (input.request === undefined && input.overflow !== true) reportNative(input.messages, run.report);
  let { messages } = input;
  try {
    const context = await openContext(messages, run, run.options.tokenCounter);
    messages = context.admitted;
    reportCounter(await countAhead(resolved.tokenCounter, context.messages), run);
    const arrived = await offload(context, input);
    if (!context.isOpened && arrived.unwritten === undefined) messages = arrived.messages;
    const compacted = await compactWhenDue({ ...input, ...sized(input, context) }, arrived);
    const valid = await validAfterOpening(compacted.messages, context, run.options.tokenCounter);
    const outcome = valid === compacted.messages ? compacted : { ...compacted, messages: valid };
    const note = callNote(outcome.messages, run.options);
    const state = { ...outcome.state, ...note, ...(scope === undefined ? {} : { scope }) };
    const all = Object.keys(state).length === 0 ? outcome : { ...outcome, state };
    return withBudgetLines(all, { before: input.messages, state: input.state, options: run.options });
  } catch (error) {
    if (mustThrow(error, run)) throw error;
    run.report.fail("compaction", error);
    return { messages };
  }
}

/** Returns the state for measuring the context. Usage that was reported for previews does not hold for opened originals. */
function sized({ state, messages: before }: CompactInput, { messages, isOpened }: OpenedContext<RunContext>) {
  const unfoldedAt = messages.at(-1)?.id;
  if (!isOpened || unfoldedAt === undefined) return {};
  return { state: { ...(state ?? notedState(before)), unfoldedAt } };
}

/** The context after its arrivals were offloaded. */
interface Arrived {
  readonly context: OpenedContext<RunContext>;
  readonly messages: readonly BaseMessage[];
  readonly due: ReturnType<typeof dueOnce>;
  /** The rewrite that made `messages`, if its originals could not be archived. */
  readonly unwritten?: Rewrite;
}

/** Returns the messages with the results that are too large offloaded. */
async function offload(
  context: OpenedContext<RunContext>,
  { state, overflow, only }: CompactInput,
): Promise<Arrived> {
  const { messages, run, isOpened } = context;
  const { options } = run;
  const due = dueOnce(options);
  if (only !== undefined) return { context, messages, due };
  const known = overflow === true ? {} : isOpened ? (state ?? {}) : state;
  // Hot path: nearly every step ends here. Ids are the most expensive part, so they are made only for a fold.
  const arrivals = offloadArrivalsOf(messages, options, { state: known, due });
  if (arrivals.folds.length === 0) return { context, messages, due };
  const named = withIds(messages);
  const offloaded = named === messages ? arrivals : offloadArrivalsOf(named, options, { state: known, due });
  const rewrite = dropStaleReasoning(named, offloaded, options.tokenCounter);
  const committed = await commitRewrite(rewrite, { ...run, reason: "arrival" });
  if (committed !== undefined) return { context, messages: committed.messages, due };
  return {
    context: { ...context, run: { ...run, isDown: true } },
    messages: rewrite.messages,
    due,
    unwritten: rewrite,
  };
}

/** Measure, due, plan, model call, apply, commit. Returns its input if no compaction is due, possible or worth it. */
async function compactWhenDue(given: CompactInput, arrived: Arrived): Promise<CompactOutcome> {
  const { unwritten } = arrived;
  const { run } = arrived.context;
  const { options } = run;
  const input = { ...given, messages: arrived.messages };
  const due = arrived.due(input.messages, input.state);
  const reason = reasonOf(input, due.reason);
  if (reason === undefined)
    return uncommitted(unwritten, { input, arrived, outcome: prepareAhead(input, run) });

  const measure = due.measure();
  const step = compactionStep(input.messages, { ...input, options, measure, reason });
  const known = input.state ?? notedState(step.messages);
  const prepared = takesPrepared(step) ? await takePrepared(step, run, known) : undefined;
  const plan = planCompaction(step, prepared);

  const isAsked = plan.span !== undefined && run.isDown !== true && mayWrite(step, known);
  const asked = isAsked ? await askProvider(plan, step, run) : undefined;
  const written = isAsked && asked === undefined ? await writeSpan(plan, step, run) : undefined;

  const result = applyPlan({ ...plan, ...asked }, written, step);
  const { rewrite } = result;
  const outcome = { before: input.messages, step, run, known };
  if (rewrite === undefined)
    return uncommitted(unwritten, { input, arrived, outcome: refusedOutcome(result, outcome) });

  const usage = (asked ?? (isAsked ? written : prepared?.written))?.usage;
  const whole = withUsage(unwritten === undefined ? rewrite : joinRewrites(unwritten, rewrite), usage);
  const committed = await commitRewrite(whole, { ...run, reason });
  if (committed === undefined) {
    const refused = { messages: input.messages, state: { refusedAt: result.tokensBefore } };
    return uncommitted(whole, { input, arrived, outcome: refused });
  }
  return appliedOutcome({ ...result, rewrite: committed }, { ...outcome, usage });
}

interface Uncommitted {
  readonly input: CompactInput;
  readonly arrived: Arrived;
  /** The outcome of the step without the rewrite. */
  readonly outcome: CompactOutcome;
}

/**
 * Returns the outcome of a step whose originals could not be archived. A context that fits the window stays whole. A larger one
 * is sent in its short form, and the state holds the originals until a later step archives them.
 */
async function uncommitted(
  rewrite: Rewrite | undefined,
  { input, arrived, outcome }: Uncommitted,
): Promise<CompactOutcome> {
  const { messages: whole, isOpened, run, admitted } = arrived.context;
  const { unfoldedAt } = input.state ?? {};
  const opened = isOpened && unfoldedAt !== undefined ? { unfoldedAt } : {};
  if (rewrite === undefined)
    return isOpened ? { ...outcome, state: { ...outcome.state, ...opened } } : outcome;
  const { tokens } = measureOf(whole, run.options, input.state ?? notedState(admitted));
  if (input.overflow !== true && tokens <= run.options.maxPromptTokens)
    return { ...outcome, messages: whole, state: { ...outcome.state, ...opened } };
  const { refusedAt: _, ...state } = outcome.state ?? {};
  return { messages: await holdRewrite(rewrite, run), ...(Object.keys(state).length === 0 ? {} : { state }) };
}

function reasonOf(input: CompactInput, due: LadderReason | undefined): LadderReason | undefined {
  if (input.overflow === true) return "overflow";
  return input.request === undefined ? due : "user";
}

/** Starts the summary of what a compaction would fold, if `prepareAt` is reached. */
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

/** Returns false for a compaction that needs a summary of another span, or one without the agent's phrases of doubt. */
function takesPrepared({ preserveMarkers, reason, summaryOnly }: CompactionStep): boolean {
  return preserveMarkers && reason !== "user" && !summaryOnly;
}

/**
 * Returns false if the host asked for no summary, or if a summary at nearly this size has already left the context over the
 * window: another call would cost money and not help, so only the passes without a model run. An extracted summary calls no
 * model, so it is always tried.
 */
function mayWrite(
  { strategy, reason, measure, options }: CompactionStep,
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
  { messages, options, reason }: CompactionStep,
  { report, signal }: RunContext,
) {
  // The provider would refuse the same prompt again.
  if (span === undefined || options.summaryMode !== "native" || reason === "overflow") return undefined;
  const cut = messages.length - span.plans[0].plan.tail.length;
  const fits = (list: readonly BaseMessage[]) => limits.size(list) <= limits.maxSummaryTokens;
  return writeNative(messages, { options, report, signal, reason, cut, fits });
}

/** Returns the summary of the span of a plan; undefined if none can be written. */
async function writeSpan(
  { span }: CompactionPlan,
  { messages: live, preserveMarkers }: CompactionStep,
  { options, report, signal }: RunContext,
): Promise<WrittenSummary | undefined> {
  return writeSummary(span?.region ?? [], { options, report, signal, preserveMarkers, live });
}
