import type { BaseMessage } from "@langchain/core/messages";
import {
  defaults,
  planSummary,
  whenToCompact,
  type SummaryPlan,
  type TokenCounter,
} from "@palimpsest/context";
import {
  cachedTokens,
  isAi,
  isSummary,
  lastCallAt,
  threadPace,
  type ContextMeasure,
  type PlannerFacts,
  type SummaryUsage,
  type ThreadPace,
} from "@palimpsest/context/internal";
import type { PlannerOptions } from "../../options/context-options.js";
import type { CompactionState } from "../../run/context-state.js";
import { triggerSize, type PricedPlanner, type ResolvedOptions } from "../../options/resolve-options.js";
import { cutoffOf, keepsAll } from "../cutoff.js";
import { counterOf } from "../../run/measure.js";
import { withPins } from "../pins.js";

/** Assumed length of a first summary, as a share of what it folds: an extracted one with its excerpts. */
const summaryShare = 0.3;

interface PlannerFactsOptions {
  readonly options: ResolvedOptions;
  readonly planner: PricedPlanner;
  readonly measure: ContextMeasure;
  readonly state: CompactionState | undefined;
}

/** Returns the facts for the planner, or undefined if nothing could be folded; `options.pin` covers all pins. Reads the clock. */
export function plannerFacts(
  messages: readonly BaseMessage[],
  planning: PlannerFactsOptions,
): PlannerFacts | undefined {
  return addPlan(messages, knownFacts(messages, planning), planning);
}

/** Returns whether a compaction below the trigger makes the bill smaller. Reads the clock. */
export function isPlanned(messages: readonly BaseMessage[], planning: PlannerFactsOptions): boolean {
  if (keepsAll(messages, planning.options, planning.measure.tokenRatio)) return false;
  // Infinity: compactionDue has asked whether a trigger is met.
  const known = { ...knownFacts(messages, planning), triggerTokens: Infinity };
  // The plan is the slow part: skip it if even folding everything for free would not pay.
  if (!whenToCompact(known).compact) return false;
  const options = withPins(messages, planning.options);
  const facts = addPlan(messages, known, { ...planning, options });
  return facts !== undefined && whenToCompact(facts).compact;
}

/** Returns the facts known without a plan: assumes that everything is folded and that the rest is in the cache. */
function knownFacts(
  messages: readonly BaseMessage[],
  { options, planner, measure, state }: PlannerFactsOptions,
): PlannerFacts {
  const count = counterOf(measure, options);
  const pace = threadPace(messages, count, state?.planner?.folded);
  const newest = messages.findLastIndex((message) => isAi(message));
  const seen = measure.tokens - count(messages.slice(Math.max(0, newest)));
  return {
    tokens: measure.tokens,
    tokensAfter: measure.overheadTokens,
    stableTokens: measure.overheadTokens,
    cachedTokens: cachedTokens(messages) ?? Math.max(0, seen),
    idleSeconds: idleSeconds(messages, planner, state),
    cacheSeconds: planner.cacheSeconds,
    growth: pace.steps === 0 ? 0 : pace.tokens / pace.steps,
    remainingSteps: remainingSteps(messages, planner, pace),
    triggerTokens: triggerSize(options, 1),
    rereadTokens: planner.rereadTokens,
    prices: planner.prices,
    summaryPrices: planner.summaryPrices,
  };
}

function addPlan(
  messages: readonly BaseMessage[],
  known: PlannerFacts,
  { options, measure }: PlannerFactsOptions,
): PlannerFacts | undefined {
  const count = counterOf(measure, options);
  const plan = planSummary(messages, { ...options, cut: cutoffOf(messages, options, measure.tokenRatio) });
  if (plan === undefined) return undefined;
  const beside = measure.overheadTokens;
  const summaryTokens = expectedSummary(plan, options, count);
  // Choosing the promoted messages is too slow for every step: assume that they take all the tokens that they may.
  const promotes = options.importance !== undefined || options.markers !== undefined;
  const promoted = promotes ? Math.min(options.verbatimTokens, count(plan.folded)) : 0;
  return {
    ...known,
    tokensAfter: beside + count([...plan.head, ...plan.carried, ...plan.tail]) + summaryTokens + promoted,
    stableTokens: beside + count(samePrefix(messages, [...plan.head, ...plan.carried])),
    summary: summaryUsage(plan, { options, count, summaryTokens }),
  };
}

/** Returns the common prefix of two lists. */
export function samePrefix(
  one: readonly BaseMessage[],
  other: readonly BaseMessage[],
): readonly BaseMessage[] {
  const differs = one.findIndex((message, index) => message !== other[index]);
  return differs < 0 ? one : one.slice(0, differs);
}

/** Tokens of the next summary: at least those of the one before; a first one takes a share of what is folded. */
function expectedSummary(plan: SummaryPlan, options: ResolvedOptions, count: TokenCounter): number {
  const earlier = plan.folded.filter(isSummary);
  const maxTokens = Math.min(options.summaryTokens, options.contextWindow / 10) + options.excerptTokens;
  const fresh = plan.folded.filter((message) => !isSummary(message));
  return Math.max(count(earlier), Math.min(maxTokens, summaryShare * count(fresh)));
}

interface UsageOptions {
  readonly options: ResolvedOptions;
  readonly count: TokenCounter;
  readonly summaryTokens: number;
}

function summaryUsage(plan: SummaryPlan, usage: UsageOptions): SummaryUsage | undefined {
  const { options, count, summaryTokens } = usage;
  if (options.summaryModel === undefined) return undefined;
  const outputTokens = Math.min(summaryTokens, defaults.summaryTokens);
  const inputTokens = Math.min(count(plan.region), options.summaryInputTokens);
  return { inputTokens, cachedTokens: 0, outputTokens };
}

function remainingSteps(
  messages: readonly BaseMessage[],
  { remainingSteps: option }: PlannerOptions,
  pace: ThreadPace,
): number {
  return typeof option === "function" ? option(messages) : (option ?? pace.steps);
}

/** Seconds since the last call, from its message or from the note of the node before it; undefined where neither exists. */
function idleSeconds(
  messages: readonly BaseMessage[],
  { now = Date.now, cacheSeconds }: PlannerOptions,
  state: CompactionState | undefined,
): number | undefined {
  if (cacheSeconds === undefined) return undefined;
  const at = lastCallAt(messages) ?? notedCallAt(messages, state);
  return at === undefined ? undefined : Math.max(0, (now() - at) / 1_000);
}

/** The note counts only for the newest call: a condition may have bypassed the node since then. */
function notedCallAt(
  messages: readonly BaseMessage[],
  state: CompactionState | undefined,
): number | undefined {
  const newest = messages.findLastIndex((message) => isAi(message));
  const sent = messages[newest - 1];
  return sent?.id !== undefined && sent.id === state?.lastCall?.after ? state.lastCall.at : undefined;
}
