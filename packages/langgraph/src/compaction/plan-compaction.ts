import type { BaseMessage } from "@langchain/core/messages";
import {
  applyCertified,
  defaults,
  dropStaleReads,
  maskToolResults,
  planSummary,
  truncateToolInputs,
  type Rewrite,
  type SummaryPlan,
} from "@palimpsest/context";
import { cutAbove, joinRewrites, unchanged, type VerbatimPlan } from "@palimpsest/context/internal";
import { reuseOf } from "@palimpsest/context/selection";
import type { SkipReason } from "../context-event.js";
import type { PreparedSummary } from "../summary/write-summary.js";
import { isTooEarly } from "./compaction-due.js";
import type { CompactionFacts } from "./compaction-facts.js";
import { findingCharacters } from "../summary/write-summary.js";
import { triggerSize } from "../options/resolve-options.js";
import { limitsOf, type Limits } from "./limits.js";
import { applyPlanned, cutoffOf, planPromoted, withPromoted, widestPlan } from "./pins.js";

/** What a compaction would do; {@link applyPlan} makes its rewrite. At most one of the optional fields is set. */
export interface CompactionPlan {
  readonly limits: Limits;
  /** Why nothing is folded. */
  readonly refusal?: Refusal;
  /** The rewrite of the rungs below a summary, if that is enough. */
  readonly rewrite?: Rewrite;
  /** What a summary would replace. */
  readonly span?: SummarySpan;
}

export interface Refusal {
  readonly reason: SkipReason;
  readonly message: string;
}

/** What a summary replaces. */
export interface SummarySpan {
  /** The messages to summarize. */
  readonly region: readonly BaseMessage[];
  /** Ways to apply it, the one that leaves most of the messages first. */
  readonly plans: readonly [VerbatimPlan, ...VerbatimPlan[]];
  /** The plan that folds everything that the model has seen; used if the others leave too much. */
  readonly widest: SummaryPlan | undefined;
}

/** Returns what a compaction would change, or why it would change nothing. Calls no model and writes nothing. Pure. */
export function planCompaction(step: CompactionFacts, prepared?: PreparedSummary): CompactionPlan {
  const { messages, options, reason, above, strategy } = step;
  const limits = limitsOf(step);
  const refusal = refusalOf(step, limits);
  if (refusal !== undefined) return { limits, refusal };
  if (above !== undefined) {
    const plan = planPromoted(messages, options, cutAbove(messages, above));
    return plan === undefined ? { limits } : { limits, span: spanOf([plan]) };
  }
  const ready = strategy === "archive" ? undefined : applyPrepared(step, limits, prepared);
  if (ready !== undefined) return { limits, rewrite: ready };
  const cut = cutoffOf(messages, options, step.measure.tokenRatio);
  const cheapFirst = !step.summaryOnly && (reason === "trigger" || reason === "safety-net");
  const rewrite = cheapFirst ? runLadder(step, limits, cut) : undefined;
  if (rewrite !== undefined) return { limits, rewrite };
  const widest = widestPlan(messages, options);
  if (widest === undefined) return { limits };
  // Promoted messages stay if the context fits with them, and are folded like all others if it does not.
  const first = planPromoted(messages, options, cut) ?? asVerbatim(widest);
  const plain = first.promoted.size === 0 ? undefined : planSummary(messages, { ...options, cut });
  return { limits, span: spanOf(plain === undefined ? [first] : [first, asVerbatim(plain)], widest) };
}

/** Returns why a compaction is refused before anything is planned. */
function refusalOf(step: CompactionFacts, limits: Limits): Refusal | undefined {
  const { messages, options, reason, above, measure } = step;
  const { tokensBefore, minimumTokens, alwaysLeaves, maxUsefulTokens } = limits;
  const { contextWindow, maxPromptTokens } = options;
  if (reason === "agent" && isTooEarly({ tokens: tokensBefore, messages: messages.length }, options)) {
    const message = `The agent asked at ${tokensBefore} of ${contextWindow} tokens`;
    return { reason: "too-early", message };
  }
  if (above !== undefined || !alwaysLeaves(maxUsefulTokens)) return undefined;
  const bringsIntoWindow = measure.tokens > maxPromptTokens && minimumTokens() <= maxPromptTokens;
  if (bringsIntoWindow) return undefined;
  if (messages.length === 0) return { reason: "nothing-to-fold", message: "The thread has no messages" };
  const message = `What must stay takes ${minimumTokens()} of ${tokensBefore} tokens: raise the trigger or shorten it`;
  return { reason: "floor", message };
}

function spanOf(plans: SummarySpan["plans"], widest?: SummaryPlan): SummarySpan {
  return { region: plans[0].plan.region, plans, widest };
}

function asVerbatim(plan: SummaryPlan): VerbatimPlan {
  return { plan, shortened: { writes: [], folds: [] }, promoted: new Set() };
}

/**
 * Returns the rewrite of the rungs below a summary, in order of what they cost the reader, up to the one that reaches the
 * target; undefined if all of them leave too much.
 */
function runLadder(step: CompactionFacts, limits: Limits, cut: number): Rewrite | undefined {
  const { messages, options } = step;
  const pinned = withPromoted(messages, options, cut);
  type Rung = (list: readonly BaseMessage[]) => Rewrite;
  const mask: Rung = (list) =>
    maskToolResults(list, {
      ...pinned,
      freeTokens: tokensToMask(list, step, limits),
      findingCharacters: findingCharacters(list, options),
    });
  const rungs: readonly Rung[] = [
    (list) => dropStaleReads(list, pinned),
    (list) => truncateToolInputs(list, { ...pinned, end: cut }),
    // An extracted summary costs nothing, and quotes lines of the old results that masks would hide.
    ...(options.summaryModel === undefined ? [] : [mask]),
    // Truncate the newest steps as well if that avoids a summary.
    (list) => truncateToolInputs(list, { ...pinned, end: list.length }),
  ];
  let rewrite = unchanged(messages);
  for (const rung of rungs) {
    rewrite = joinRewrites(rewrite, rung(rewrite.messages));
    if (rewrite.folds.length > 0 && limits.fits(rewrite.messages)) return rewrite;
  }
  return undefined;
}

/** Returns how many tokens, by the counter, masking has to free. */
function tokensToMask(
  messages: readonly BaseMessage[],
  { options, measure }: CompactionFacts,
  { size }: Limits,
): number {
  return (size(messages) - triggerSize(options, defaults.maskTargetFraction)) / measure.tokenRatio;
}

/** Share of the trigger that a prepared summary may leave: the messages after its span stay as well. */
const preparedFraction = 0.85;

/** Returns the rewrite with the prepared summary, if there is one and it frees enough. */
function applyPrepared(
  { messages, options, reason }: CompactionFacts,
  { size, fits }: Limits,
  prepared: PreparedSummary | undefined,
): Rewrite | undefined {
  if (prepared === undefined) return undefined;
  const { tokenCounter, excerptTokens, userLineTokens, lane } = options;
  const planned = planPromoted(messages, options, prepared.cut);
  if (planned === undefined) return undefined;
  const applied = applyPlanned(planned, (plan) =>
    applyCertified(plan, {
      ...prepared.written,
      reason,
      tokenCounter,
      userLineTokens,
      lane,
      excerpts: { tokens: excerptTokens, scorer: reuseOf },
    }),
  );
  // After an overflow the sizes cannot be trusted, so the usual target applies.
  const isEnough = reason !== "overflow" && size(applied.messages) <= triggerSize(options, preparedFraction);
  return isEnough || fits(applied.messages) ? applied : undefined;
}
