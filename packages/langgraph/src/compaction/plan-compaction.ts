import type { BaseMessage } from "@langchain/core/messages";
import {
  defaults,
  dropStaleReads,
  maskToolResults,
  planSummary,
  truncateToolInputs,
  type Rewrite,
  type SummaryPlan,
} from "@palimpsest/context";
import { cutAbove, joinRewrites, unchanged, type VerbatimPlan } from "@palimpsest/context/internal";
import type { SkipReason } from "../context-event.js";
import type { PreparedSummary } from "../summary/write-summary.js";
import { isTooEarly } from "./compaction-due.js";
import type { CompactionFacts } from "./compaction-facts.js";
import { findingCharacters } from "../summary/write-summary.js";
import { triggerSize } from "../options/resolve-options.js";
import { limitsOf, type Limits } from "./limits.js";
import { cutoffOf, widestPlan } from "./cutoff.js";
import { applyPlanned, foldIntoSummary } from "./fold-span.js";
import { planPromoted, withPromoted } from "./pins.js";

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
export function planCompaction(facts: CompactionFacts, prepared?: PreparedSummary): CompactionPlan {
  const { messages, options, reason, above, strategy } = facts;
  const limits = limitsOf(facts);
  const refusal = refusalOf(facts, limits);
  if (refusal !== undefined) return { limits, refusal };
  if (above !== undefined) {
    const plan = planPromoted(messages, options, cutAbove(messages, above));
    return plan === undefined ? { limits } : { limits, span: spanOf([plan]) };
  }
  const ready = strategy === "archive" ? undefined : applyPrepared(facts, limits, prepared);
  if (ready !== undefined) return { limits, rewrite: ready };
  const cut = cutoffOf(messages, options, facts.measure.tokenRatio);
  const cheapFirst = !facts.summaryOnly && (reason === "trigger" || reason === "safety-net");
  const rewrite = cheapFirst ? foldWithoutSummary(facts, limits, cut) : undefined;
  if (rewrite !== undefined) return { limits, rewrite };
  const widest = widestPlan(messages, options);
  if (widest === undefined) return { limits };
  // Promoted messages stay if the context fits with them, and are folded like all others if it does not.
  const first = planPromoted(messages, options, cut) ?? asVerbatim(widest);
  const plain = first.promoted.size === 0 ? undefined : planSummary(messages, { ...options, cut });
  return { limits, span: spanOf(plain === undefined ? [first] : [first, asVerbatim(plain)], widest) };
}

/** Returns why a compaction is refused before anything is planned. */
function refusalOf(facts: CompactionFacts, limits: Limits): Refusal | undefined {
  const { messages, options, reason, above, measure } = facts;
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
function foldWithoutSummary(facts: CompactionFacts, limits: Limits, cut: number): Rewrite | undefined {
  const { messages, options } = facts;
  const pinned = withPromoted(messages, options, cut);
  type Rung = (list: readonly BaseMessage[]) => Rewrite;
  const mask: Rung = (list) =>
    maskToolResults(list, {
      ...pinned,
      freeTokens: tokensToMask(list, facts, limits),
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
  facts: CompactionFacts,
  { size, fits }: Limits,
  prepared: PreparedSummary | undefined,
): Rewrite | undefined {
  if (prepared === undefined) return undefined;
  const { messages, options, reason } = facts;
  const planned = planPromoted(messages, options, prepared.cut);
  if (planned === undefined) return undefined;
  const applied = applyPlanned(planned, (plan) => foldIntoSummary(plan, prepared.written, facts));
  // After an overflow the sizes cannot be trusted, so the usual target applies.
  const isEnough = reason !== "overflow" && size(applied.messages) <= triggerSize(options, preparedFraction);
  return isEnough || fits(applied.messages) ? applied : undefined;
}
