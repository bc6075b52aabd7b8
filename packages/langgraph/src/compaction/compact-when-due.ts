import { isTriggered, withIds } from "@palimpsest/context";
import type { CompactionReason, SkipCause } from "../context-event.js";
import { notedState } from "../node-state.js";
import type { ResolvedOptions } from "../resolve-options.js";
import { agentRequest } from "./agent-request.js";
import { applyRewrite } from "./apply-rewrite.js";
import type { CompactInput, CompactOutcome } from "./compact-input.js";
import { compactionDue } from "./compaction-due.js";
import { planCompaction, type CompactionPlan } from "./plan-compaction.js";
import type { Reporter } from "./reporter.js";
import { writeSummary } from "./write-summary.js";

/** Returns the compacted context, or what came in when no compaction is due, possible or worth it. */
export async function compactWhenDue(
  input: CompactInput,
  options: ResolvedOptions,
  report: Reporter,
): Promise<CompactOutcome> {
  const { measure, reason: due } = compactionDue(input.messages, options, input.state);
  const reason = reasonOf(input, due);
  if (reason === undefined) return { messages: input.messages };
  const messages = withIds(input.messages);
  const markers = reason === "agent" && agentRequest(messages)?.preserveMarkers === true;
  const signal = input.config?.signal;
  const plan = await planCompaction(messages, {
    options,
    measure,
    reason,
    request: input.request,
    summaryOnly: input.only === "summary",
    write: (region) => writeSummary(region, { options, report, signal, markers, live: messages }),
  });
  const { tokensBefore, tokensAfter, rewrite, refusal } = plan;
  if (refusal !== undefined) {
    if (isNews(refusal.because, input, reason)) skip(report, reason, refusal);
    return { messages: input.messages, state: { refusedAt: tokensBefore, refusedFor: refusal.because } };
  }
  if (rewrite === undefined || !(await applyRewrite(rewrite, { options, report, reason }))) {
    return { messages: input.messages, state: { refusedAt: tokensBefore } };
  }
  const { threadId } = report;
  report.send({ type: "context.compaction", reason, tokensBefore, tokensAfter, threadId });
  // Where the trigger is still met, the next step would compact again for next to nothing: wait until it has grown.
  const left = { ...options, tokens: tokensAfter, messages: rewrite.messages.length };
  const pause = isTriggered(options.trigger, left)
    ? { refusedAt: tokensAfter }
    : { refusedAt: 0, refusedFor: "" as const };
  const { overheadTokens, tokenRatio } = measure;
  return { messages: rewrite.messages, state: { overheadTokens, tokenRatio, ...pause } };
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
