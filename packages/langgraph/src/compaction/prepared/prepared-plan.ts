import { withIds, type Rewrite } from "@palimpsest/context";
import { runSignal } from "../../run-config.js";
import type { CompactionState } from "../../run/context-state.js";
import type { Step } from "../../run/step.js";
import type { PreparedSummary, WrittenSummary } from "../../summary/write-summary.js";
import type { CompactionFacts } from "../compaction-facts.js";
import { planCompaction, type CompactionPlan } from "../plan-compaction.js";
import { prepareSummary, takePrepared } from "./background-summary.js";
import { digestOf, keptWrites, takeKept } from "./kept-summary.js";

/** Starts the summary of what a compaction would fold, if `prepareAt` is reached. */
export function prepareAhead(step: Step): CompactionState | undefined {
  const { options, known, messages } = step;
  // The prompt fits again.
  if (known?.overflow !== undefined) return { overflow: undefined };
  if (options.prepareAt === undefined || options.summaryModel === undefined) return undefined;
  const state = prepareSummary(withIds(messages), step, runSignal(step.config));
  if (state !== undefined) step.nameMessages();
  return state;
}

/** Returns the plan, with the summary that is already written, if there is one. */
export async function planWithPrepared(
  facts: CompactionFacts,
  step: Step,
): Promise<{ readonly plan: CompactionPlan; readonly prepared?: PreparedSummary | undefined }> {
  const prepared = takesPrepared(facts) ? await takePrepared(facts, step) : undefined;
  const plan = planCompaction(facts, prepared);
  if (plan.span === undefined || !keepsSummary(facts, step)) return { plan, prepared };
  const kept = await takeKept(facts, step.archive);
  return kept === undefined ? { plan, prepared } : { plan: planCompaction(facts, kept), prepared: kept };
}

/** Returns true where a summary that a model writes now would be forgotten by a call that fails, and could be taken again. */
function keepsSummary(facts: CompactionFacts, { input, options, isDown }: Step): boolean {
  return input.isAtCall === true && options.summaryModel !== undefined && !isDown && takesPrepared(facts);
}

/** Adds the summary to what a rewrite archives, where a call that fails would forget it. */
export async function keeping(
  rewrite: Rewrite,
  written: WrittenSummary | undefined,
  {
    span,
    facts,
    step,
  }: Pick<CompactionPlan, "span"> & { readonly facts: CompactionFacts; readonly step: Step },
): Promise<Rewrite> {
  if (span === undefined || !keepsSummary(facts, step)) return rewrite;
  const writes = await keptWrites(digestOf(span.plans[0].plan), written, {
    archive: step.archive,
    lane: step.options.lane,
  });
  return writes.length === 0 ? rewrite : { ...rewrite, writes: [...rewrite.writes, ...writes] };
}

/** Returns false for a compaction that needs a summary of another span, or one without the agent's phrases of doubt. */
function takesPrepared({ preserveMarkers, reason, summaryOnly }: CompactionFacts): boolean {
  return preserveMarkers && reason !== "user" && !summaryOnly;
}
