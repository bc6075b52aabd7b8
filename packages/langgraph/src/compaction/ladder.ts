import type { BaseMessage } from "@langchain/core/messages";
import {
  applyCertified,
  cutPoints,
  dropStaleReads,
  maskToolResults,
  planSummary,
  trimCertified,
  truncateToolInputs,
  unseenStart,
  type Rewrite,
  type SummaryPlan,
} from "@palimpsest/context";
import { foldRules, triggerTokens, unchanged, type VerbatimPlan } from "@palimpsest/context/internal";
import type { CompactionReason } from "../edge/context-event.js";
import type { ResolvedOptions } from "../edge/resolve-options.js";
import { applyPlanned, cutoffOf, planPromoted, withPromoted } from "./with-pins.js";
import type { PreparedSummary, WrittenSummary } from "./write-summary.js";

/** Returns what stands for a region, or undefined when no summary can be had. */
export type SummaryWriter = (region: readonly BaseMessage[]) => Promise<WrittenSummary | undefined>;

interface LadderOptions {
  readonly options: ResolvedOptions;
  readonly reason: CompactionReason;
  /** Tries the rungs below a summary before it. */
  readonly cheapFirst: boolean;
  /** True for a context that is short enough for the ladder to stop. */
  readonly fits: (messages: readonly BaseMessage[]) => boolean;
  /** Tokens above which a rewrite is of no use. */
  readonly limit: number;
  /** Returns the tokens of a whole prompt with these messages. */
  readonly size: (messages: readonly BaseMessage[]) => number;
  /** Shortens single large messages that the model has seen, wherever they stand. */
  readonly shrink: (messages: readonly BaseMessage[]) => Rewrite;
  /** What the provider counts for a token of the counter. */
  readonly tokenRatio: number;
  /** Lists the agent's phrases of doubt in what stands for the folded messages. */
  readonly preserveMarkers: boolean;
  /** Returns what stands for a region; without one it goes to the archive with a note. */
  readonly write: SummaryWriter | undefined;
  /** A summary that was written ahead: it comes before every other rung, for it is paid for. */
  readonly prepared?: PreparedSummary | undefined;
}

/**
 * Returns the rewrite of the cheapest rung that brings the context to the target, or of the last rung.
 *
 * Rungs by what they cost the reader: out-of-date reads, inputs of old calls, results of old steps, inputs of the newest
 * calls, a summary, single large messages behind it, and moving all that the model has seen to the archive. Nothing is
 * written here; undefined when nothing can be folded.
 */
export async function climb(
  messages: readonly BaseMessage[],
  ladder: LadderOptions,
): Promise<Rewrite | undefined> {
  const { options, cheapFirst, fits, tokenRatio } = ladder;
  const ready = applyPrepared(messages, ladder);
  if (ready !== undefined) return ready;
  const cut = cutoffOf(messages, options, tokenRatio);
  if (cheapFirst) {
    let rewrite = unchanged(messages);
    for (const pass of cheapPasses(cut, withPromoted(messages, options, cut))) {
      rewrite = joinRewrites(rewrite, pass(rewrite.messages));
      if (rewrite.folds.length > 0 && fits(rewrite.messages)) return rewrite;
    }
  }
  return summarize(messages, cut, ladder);
}

type Pass = (messages: readonly BaseMessage[]) => Rewrite;

function cheapPasses(cut: number, options: ResolvedOptions): readonly Pass[] {
  return [
    (messages) => dropStaleReads(messages, options),
    (messages) => truncateToolInputs(messages, { ...options, end: cut }),
    (messages) => maskToolResults(messages, options),
    // Also of the newest steps, where that saves a summary.
    (messages) => truncateToolInputs(messages, { ...options, end: messages.length }),
  ];
}

/** Share of the trigger that a summary written ahead may leave: what has come since its span stays with it. */
const preparedSettle = 0.85;

/** Returns the rewrite with the summary that was written ahead, where there is one and it frees enough. */
function applyPrepared(
  messages: readonly BaseMessage[],
  { options, reason, prepared, fits, size }: LadderOptions,
): Rewrite | undefined {
  if (prepared === undefined) return undefined;
  const { cut, written } = prepared;
  const { tokenCounter, excerptTokens } = options;
  const planned = planPromoted(messages, options, cut);
  if (planned === undefined) return undefined;
  const ready = applyPlanned(planned, (plan) =>
    applyCertified(plan, { ...written, reason, tokenCounter, excerptTokens }),
  );
  // After an overflow nobody knows how much is enough: there the common target holds.
  const isEnough = reason !== "overflow" && size(ready.messages) <= targetOf(options, preparedSettle);
  return isEnough || fits(ready.messages) ? ready : undefined;
}

/**
 * Starts again from the messages as they were: a summary made from masked results would know nothing.
 *
 * Promoted messages stay where the context fits with them, and are folded like all others where it does not.
 */
async function summarize(
  messages: readonly BaseMessage[],
  cut: number,
  { options, reason, fits, limit, size, shrink, write, preserveMarkers }: LadderOptions,
): Promise<Rewrite | undefined> {
  const { tokenCounter, excerptTokens } = options;
  const widest = widestPlan(messages, options);
  if (widest === undefined) return undefined;
  const planned = planPromoted(messages, options, cut) ?? asPlanned(widest);
  const plain = planned.promoted.size === 0 ? undefined : planSummary(messages, { ...options, cut });
  const plans = [planned, ...(plain === undefined ? [] : [asPlanned(plain)])];
  const written = await write?.(planned.plan.region);
  const trimmed = (plan: SummaryPlan) => trimCertified(plan, { tokenCounter, reason, preserveMarkers });
  if (written === undefined) {
    const trims = plans.map((one) => applyPlanned(one, trimmed));
    return trims.find((trim) => fits(trim.messages)) ?? trims.at(-1);
  }
  const summarized = (plan: SummaryPlan) =>
    applyCertified(plan, { ...written, reason, tokenCounter, excerptTokens });
  let both = unchanged(messages);
  for (const one of plans) {
    const summary = applyPlanned(one, summarized);
    if (fits(summary.messages)) return summary;
    const { promoted } = one;
    const pin = (message: BaseMessage) => promoted.has(message.id ?? "") || options.pin?.(message) === true;
    both = joinRewrites(summary, truncateToolInputs(summary.messages, { ...options, pin }));
    if (fits(both.messages)) return both;
  }
  const slim = joinRewrites(both, shrink(both.messages));
  if (slim.folds.length > both.folds.length && size(slim.messages) <= limit) return slim;
  const rest = widest.folded.length - (plain ?? planned.plan).folded.length;
  const note = rest > 0 ? `\n\n${rest} further messages are in the file above.` : "";
  const wide = applyCertified(widest, { ...written, text: written.text + note, reason, tokenCounter });
  const shorter = size(wide.messages) < size(both.messages) ? wide : both;
  return size(shorter.messages) <= limit ? shorter : trimmed(widest);
}

function asPlanned(plan: SummaryPlan): VerbatimPlan {
  return { plan, shortened: { writes: [], folds: [] }, promoted: new Set() };
}

/** Returns the plan that folds everything that the model has seen. */
function widestPlan(messages: readonly BaseMessage[], options: ResolvedOptions): SummaryPlan | undefined {
  const unseen = unseenStart(messages);
  const cut = cutPoints(messages, foldRules).findLast((point) => point <= unseen) ?? 0;
  return planSummary(messages, { ...options, cut });
}

/**
 * Returns the messages that every compaction leaves: the leading system messages, pins, the user's words, and what the
 * model has not seen.
 */
export function leastContext(
  messages: readonly BaseMessage[],
  options: ResolvedOptions,
): readonly BaseMessage[] {
  const plan = widestPlan(messages, options);
  return plan === undefined ? messages : [...plan.head, ...plan.carried, ...plan.tail];
}

/** Returns the tokens at which the ladder stops: a share of the trigger, so that compactions stay rare. */
export function targetOf(options: ResolvedOptions, settle: number): number {
  return settle * (triggerTokens(options.trigger, options.contextWindow) ?? options.contextWindow);
}

/** Returns one rewrite for two, of which the second was made from the messages of the first. */
export function joinRewrites(first: Rewrite, second: Rewrite): Rewrite {
  return {
    messages: second.messages,
    writes: [...first.writes, ...second.writes],
    folds: [...first.folds, ...second.folds],
    certificates: [...(first.certificates ?? []), ...(second.certificates ?? [])],
  };
}
