import type { BaseMessage } from "@langchain/core/messages";
import { planSummary, type SummaryPlan } from "@palimpsest/context";
import { commit } from "../../run/commit.js";
import type { CompactionState } from "../../run/context-state.js";
import { atMostOf, measureOf } from "../../run/measure.js";
import type { Reporter } from "../../run/reporter.js";
import type { Step } from "../../run/step.js";
import type { ResolvedOptions } from "../../options/resolve-options.js";
import { jobEnd, runJob } from "./background-jobs.js";
import type { CompactionFacts } from "../compaction-facts.js";
import { digestOf, keptWrites, readKept } from "./kept-summary.js";
import { writeSummary, type PreparedSummary, type WrittenSummary } from "../../summary/write-summary.js";
import { cutoffOf } from "../cutoff.js";
import { withPins } from "../pins.js";

/**
 * Returns the span whose summary should be written now. Undefined below `prepareAt`, without a model, and if a summary of this
 * context was already started. Pure.
 */
export function spanToPrepare(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
  state: CompactionState | undefined,
): SummaryPlan | undefined {
  const { prepareAt, summaryModel, contextWindow } = options;
  if (prepareAt === undefined || summaryModel === undefined) return undefined;
  const begun = state?.prepared?.upTo;
  if (begun !== undefined && messages.some(({ id }) => id === begun)) return undefined;
  const minTokens = prepareAt * contextWindow;
  if (atMostOf(messages, options, state) < minTokens) return undefined;
  const measure = measureOf(messages, options, state);
  if (measure.tokens < minTokens) return undefined;
  const pinned = withPins(messages, options);
  return planSummary(messages, { ...pinned, cut: cutoffOf(messages, pinned, measure.tokenRatio) });
}

/**
 * Starts writing the summary of the span that a compaction would fold, and returns the update of the state.
 *
 * Never waits for the model and never throws. The summary is archived under the digest of the span, so that every process finds
 * it. A failed or aborted summary writes nothing.
 */
export function prepareSummary(
  messages: readonly BaseMessage[],
  step: Step,
  signal: AbortSignal | undefined,
): Pick<CompactionState, "prepared"> | undefined {
  const { options, report, archive, seal, known, laneRun } = step;
  const plan = spanToPrepare(messages, options, known);
  const upTo = plan?.region.at(-1)?.id;
  if (plan === undefined || upTo === undefined || signal?.aborted === true) return undefined;
  const digest = digestOf(plan);
  const { threadId } = report;
  const { region } = plan;
  const begun = runJob({ files: options.files, threadId, digest }, signal, (own) =>
    writeAhead({ region, digest }, { options, report, archive, seal, laneRun, signal: own }),
  );
  if (!begun) return undefined;
  report.send({ type: "context.prepare", step: "started", messages: region.length, threadId });
  return { prepared: { upTo, digest } };
}

interface Span {
  readonly region: readonly BaseMessage[];
  readonly digest: string;
}

/** Resolves with the summary once it is in the archive; undefined if no model has written one. */
async function writeAhead(
  { region, digest }: Span,
  run: Pick<Step, "options" | "report" | "archive" | "seal" | "signal" | "laneRun">,
): Promise<WrittenSummary | undefined> {
  const { options, report, archive, signal } = run;
  const { threadId } = report;
  // Already paid for, by another process or before a call of the model that failed.
  const place = { archive, lane: options.lane };
  const kept = await readKept(digest, place);
  if (kept !== undefined) return ready(kept);
  const quiet: Reporter = {
    ...report,
    // A failure here costs nothing: the compaction writes the summary itself when it is due.
    fail: (rung, error, next) => report.fail(rung, error, next === "extract" ? "none" : next),
  };
  const read = (path: string) => archive.readText(path);
  const written = await writeSummary(region, { options, report: quiet, signal, read });
  if (written?.source !== "model" || signal?.aborted === true) return undefined;
  const writes = await keptWrites(digest, written, place);
  if (!(await commit(writes, run))) return undefined;
  return ready(written);

  function ready(summary: WrittenSummary): WrittenSummary {
    report.send({ type: "context.prepare", step: "ready", messages: region.length, threadId });
    return summary;
  }
}

/**
 * Returns the summary that was prepared for the beginning of this context. Waits for one that is still being written. Undefined
 * if there is none, it failed, or a message of its span has changed.
 */
export async function takePrepared(
  { messages, options }: CompactionFacts,
  { report, archive, known }: Step,
): Promise<PreparedSummary | undefined> {
  const span = options.prepareAt === undefined ? undefined : known?.prepared;
  if (span === undefined) return undefined;
  const { files } = options;
  const { threadId } = report;
  const cut = messages.findIndex(({ id }) => id === span.upTo) + 1;
  const plan = cut === 0 ? undefined : planSummary(messages, { ...options, cut });
  const isSame = plan !== undefined && digestOf(plan) === span.digest;
  if (!isSame) {
    report.send({ type: "context.prepare", step: "discarded", messages: plan?.region.length ?? 0, threadId });
    return undefined;
  }
  const written =
    (await jobEnd({ files, threadId, digest: span.digest })) ??
    (await readKept(span.digest, { archive, lane: options.lane }));
  return written === undefined ? undefined : { cut, written };
}
