import type { BaseMessage } from "@langchain/core/messages";
import { isTriggered, withIds, type Rewrite } from "@palimpsest/context";
import { type ContextMeasure } from "@palimpsest/context/internal";
import { commitRewrite } from "../edge/commit.js";
import type {
  CompactionReason,
  CompactionStrategy,
  SkipCause,
  SummaryTokens,
} from "../edge/context-event.js";
import type { CompactionState } from "../edge/context-state.js";
import { notedState } from "../edge/node-state.js";
import { reportOverflow } from "../edge/report-overflow.js";
import type { Reporter } from "../edge/reporter.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { runSignal } from "../edge/run-config.js";
import { agentRequest } from "./agent-request.js";
import { prepareSummary, takePrepared } from "./background-summary.js";
import type { CompactInput, CompactOutcome } from "./compact-input.js";
import { compactionDue, hasGrown } from "./compaction-due.js";
import type { SummaryWriter } from "./ladder.js";
import { planCompaction, type CompactionPlan } from "./plan-compaction.js";
import { callNote, plannerReport } from "./planner-report.js";
import { writeSummary } from "./write-summary.js";

/** Returns the compacted context, or what came in when no compaction is due, possible or worth it. */
export async function compactWhenDue(
  input: CompactInput,
  options: ResolvedOptions,
  report: Reporter,
): Promise<CompactOutcome> {
  const outcome = await runLadder(input, options, report);
  const note = callNote(outcome.messages, options);
  return note === undefined ? outcome : { ...outcome, state: { ...outcome.state, ...note } };
}

async function runLadder(
  input: CompactInput,
  options: ResolvedOptions,
  report: Reporter,
): Promise<CompactOutcome> {
  const { measure, reason: due } = compactionDue(input.messages, options, input.state);
  const reason = reasonOf(input, due);
  if (reason === undefined) return prepareAhead(input, options, report);
  const messages = withIds(input.messages);
  const known = input.state ?? notedState(messages);
  const asked = reason === "agent" ? agentRequest(messages) : undefined;
  const preserveMarkers = asked?.preserveMarkers ?? true;
  const signal = input.config?.signal;
  const isOwn = !preserveMarkers || reason === "user" || input.only !== undefined;
  const prepared = isOwn ? undefined : await takePrepared(messages, { options, report, state: known });
  let usage = prepared?.written.usage;
  const write: SummaryWriter = async (region) => {
    const written = await writeSummary(region, { options, report, signal, preserveMarkers, live: messages });
    usage = written?.usage;
    return written;
  };
  // An agent that does not want its doubts kept wants no message kept for them.
  const { markers, ...rest } = options;
  const wanted = preserveMarkers || markers === undefined ? options : rest;
  const planning = { options: wanted, measure, reason, preserveMarkers, prepared, request: input.request };
  const plan = await planCompaction(messages, {
    ...planning,
    summaryOnly: input.only === "summary",
    write: isPaidFor(reason, measure.tokens, known) ? undefined : write,
  });
  const { tokensBefore, rewrite, refusal } = plan;
  if (refusal !== undefined) {
    if (isNews(refusal.because, input, reason)) skip(report, reason, refusal);
    const overflow = reportOverflow(plan, { options, report, reason, known });
    const state = { refusedAt: tokensBefore, refusedFor: refusal.because, ...overflow };
    return { messages: input.messages, state };
  }
  const { archive } = options.files.thread(report.threadId);
  const target = { archive, report, reason, signal, onError: options.onError };
  if (rewrite === undefined || !(await commitRewrite(rewrite, target))) {
    return { messages: input.messages, state: { refusedAt: tokensBefore } };
  }
  const why = { reason, agentReason: asked?.reason, usage };
  return applied(messages, { ...plan, rewrite }, { options, report, measure, known, ...why });
}

/**
 * True where a summary was written for nearly this size and the context is over the window all the same: no second one is
 * paid for, and the passes that call no model go on.
 */
function isPaidFor(reason: Reason, tokens: number, known: CompactionState | undefined): boolean {
  const isAutomatic = reason === "trigger" || reason === "safety-net";
  return isAutomatic && !hasGrown(tokens, known) && known?.refusedFor !== "floor";
}

/** Begins the summary of what a compaction would fold, where it is time for that. */
function prepareAhead(input: CompactInput, options: ResolvedOptions, report: Reporter): CompactOutcome {
  const { messages, config } = input;
  const known = input.state ?? notedState(messages);
  if (known?.overflow !== undefined) return { messages, state: { overflow: undefined } };
  if (options.prepareAt === undefined || options.summaryModel === undefined) return { messages };
  const named = withIds(messages);
  const state = prepareSummary(named, { options, report, state: known, signal: runSignal(config) });
  return state === undefined ? { messages } : { messages: named, state };
}

interface Applied {
  readonly options: ResolvedOptions;
  readonly report: Reporter;
  readonly reason: Reason;
  readonly measure: ContextMeasure;
  readonly known: CompactionState | undefined;
  readonly agentReason: string | undefined;
  readonly usage: SummaryTokens | undefined;
}

/** Sends the event of a compaction, and returns what it leaves. */
function applied(
  before: readonly BaseMessage[],
  plan: CompactionPlan & { readonly rewrite: Rewrite },
  { options, report, reason, measure, known, agentReason, usage }: Applied,
): CompactOutcome {
  const { tokensBefore, tokensAfter, rewrite } = plan;
  const { messages, folds } = rewrite;
  const { threadId } = report;
  const span = known?.prepared;
  const isPrepared = span !== undefined && folds.some(({ id }) => id === `summary-${span.digest}`);
  if (isPrepared) {
    const folded = folds.reduce((sum, { covers }) => sum + covers.length, 0);
    report.send({ type: "context.prepare", step: "applied", messages: folded, threadId });
  }
  const strategy = strategyOf(folds);
  const spent = strategy === "summarize" ? usage : undefined;
  const sizes = { measure, state: known, after: messages, tokensAfter };
  const planned = plannerReport(before, { options, ...sizes, usage: spent });
  const overflow = reportOverflow(plan, { options, report, reason, known });
  const event = {
    type: "context.compaction" as const,
    reason,
    strategy,
    tokensBefore,
    tokensAfter,
    ...(agentReason === undefined ? {} : { agentReason }),
    ...(spent === undefined ? {} : { usage: spent }),
    ...(planned.bill === undefined ? {} : { bill: planned.bill }),
    threadId,
  };
  if (plan.overflow === undefined) report.send(event);
  // Where the trigger is still met, the next step would compact again for next to nothing: wait until it has grown.
  const pause = isTriggered(options.trigger, { ...options, tokens: tokensAfter, messages: messages.length })
    ? { refusedAt: tokensAfter }
    : { refusedAt: 0, refusedFor: "" as const };
  const { overheadTokens, tokenRatio } = measure;
  const cleared = span === undefined ? {} : { prepared: undefined };
  return {
    messages,
    state: { overheadTokens, tokenRatio, ...pause, ...cleared, ...overflow, ...planned.state },
  };
}

function strategyOf(folds: Rewrite["folds"]): CompactionStrategy {
  if (folds.some(({ kind }) => kind === "summary")) return "summarize";
  return folds.some(({ kind }) => kind === "trim") ? "archive" : "shorten";
}

type Reason = Exclude<CompactionReason, "arrival">;

function reasonOf(input: CompactInput, due: Reason | undefined): Reason | undefined {
  if (input.overflow === true) return "overflow";
  return input.request === undefined ? due : "user";
}

function skip(
  report: Reporter,
  reason: CompactionReason,
  refusal: NonNullable<CompactionPlan["refusal"]>,
): void {
  report.send({ type: "context.skip", reason, ...refusal, threadId: report.threadId });
}

/** True for a cause that the caller has not been told yet. Who asked for a compaction is told every time. */
function isNews(because: SkipCause, { state, messages }: CompactInput, reason: Reason): boolean {
  if (reason === "agent" || reason === "overflow" || reason === "user") return true;
  return (state ?? notedState(messages))?.refusedFor !== because;
}
