import type { BaseMessage } from "@langchain/core/messages";
import {
  defaults,
  findCutoff,
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
import type { PlannerOptions } from "../edge/context-options.js";
import type { CompactionState } from "../edge/context-state.js";
import { triggerSize, type ResolvedOptions } from "../edge/resolve-options.js";
import { withPins } from "./pins.js";

/** Share of what is folded that a summary takes where none tells how long it will be: extracted, with its lines put back. */
const summaryShare = 0.3;

interface PlanFactsOptions {
  readonly options: ResolvedOptions;
  readonly planner: PlannerOptions;
  readonly measure: ContextMeasure;
  readonly state: CompactionState | undefined;
}

/** Returns what the planner weighs, or undefined where nothing could be folded; `options.pin` holds all pins. Reads the clock. */
export function planFacts(
  messages: readonly BaseMessage[],
  planning: PlanFactsOptions,
): PlannerFacts | undefined {
  return addPlan(messages, knownFacts(messages, planning), planning);
}

/** Returns whether a compaction below the trigger makes the bill smaller. Reads the clock. */
export function isPlanned(messages: readonly BaseMessage[], planning: PlanFactsOptions): boolean {
  // Triggers may count messages: whether one is met is asked elsewhere.
  const known = { ...knownFacts(messages, planning), triggerTokens: Infinity };
  // What could be folded takes longest to find. Where folding all of it for nothing would not pay, nothing does.
  if (!whenToCompact(known).compact) return false;
  const options = withPins(messages, planning.options);
  const facts = addPlan(messages, known, { ...planning, options });
  return facts !== undefined && whenToCompact(facts).compact;
}

/** Returns what is known without a plan: as if all could be folded, and what is left stood in the cache. */
function knownFacts(
  messages: readonly BaseMessage[],
  { options, planner, measure, state }: PlanFactsOptions,
): PlannerFacts {
  const count = counterOf(options, measure);
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
  { options, measure }: PlanFactsOptions,
): PlannerFacts | undefined {
  const count = counterOf(options, measure);
  const cut = findCutoff(messages, { ...options, tokenCounter: count });
  const plan = planSummary(messages, { ...options, cut });
  if (plan === undefined) return undefined;
  const beside = measure.overheadTokens;
  const summaryTokens = expectedSummary(plan, options, count);
  // Which messages are promoted takes too long to find out at each step: as many tokens as they may have.
  const promotes = options.importance !== undefined || options.markers !== undefined;
  const promoted = promotes ? Math.min(options.verbatimTokens, count(plan.folded)) : 0;
  return {
    ...known,
    tokensAfter: beside + count([...plan.head, ...plan.carried, ...plan.tail]) + summaryTokens + promoted,
    stableTokens: beside + count(samePrefix(messages, [...plan.head, ...plan.carried])),
    summary: summaryUsage(plan, { options, count, cached: known.cachedTokens, summaryTokens }),
  };
}

function counterOf({ tokenCounter }: ResolvedOptions, { tokenRatio }: ContextMeasure): TokenCounter {
  return (list) => tokenRatio * tokenCounter(list);
}

/** Returns the messages with which both lists begin. */
export function samePrefix(
  one: readonly BaseMessage[],
  other: readonly BaseMessage[],
): readonly BaseMessage[] {
  const differs = one.findIndex((message, index) => message !== other[index]);
  return differs < 0 ? one : one.slice(0, differs);
}

/** A summary grows on from the one before; the first one is as long as it may be, or a share of what is folded. */
function expectedSummary(plan: SummaryPlan, options: ResolvedOptions, count: TokenCounter): number {
  const earlier = plan.folded.filter(isSummary);
  const most = Math.min(defaults.summaryTokens, options.contextWindow / 10) + options.excerptTokens;
  const fresh = plan.folded.filter((message) => !isSummary(message));
  return Math.max(count(earlier), Math.min(most, summaryShare * count(fresh)));
}

interface UsageOptions {
  readonly options: ResolvedOptions;
  readonly count: TokenCounter;
  readonly cached: number;
  readonly summaryTokens: number;
}

function summaryUsage(plan: SummaryPlan, usage: UsageOptions): SummaryUsage | undefined {
  const { options, count, cached, summaryTokens } = usage;
  if (options.summaryModel === undefined) return undefined;
  const outputTokens = Math.min(summaryTokens, defaults.summaryTokens);
  if (options.summaryMode !== "suffix") {
    return { inputTokens: count(plan.region), cachedTokens: 0, outputTokens };
  }
  const inputTokens = count([...plan.head, ...plan.region, ...plan.tail]);
  return { inputTokens, cachedTokens: Math.min(cached, inputTokens), outputTokens };
}

function remainingSteps(
  messages: readonly BaseMessage[],
  { remainingSteps: given }: PlannerOptions,
  pace: ThreadPace,
): number {
  return typeof given === "function" ? given(messages) : (given ?? pace.steps);
}

/** Seconds since the last call: as its message tells, or as the node before it noted; undefined where neither is known. */
function idleSeconds(
  messages: readonly BaseMessage[],
  { now = Date.now, cacheSeconds }: PlannerOptions,
  state: CompactionState | undefined,
): number | undefined {
  if (cacheSeconds === undefined) return undefined;
  const at = lastCallAt(messages) ?? notedCallAt(messages, state);
  return at === undefined ? undefined : Math.max(0, (now() - at) / 1_000);
}

/** What was noted counts only for the newest call: a condition may have gone by the node since. */
function notedCallAt(
  messages: readonly BaseMessage[],
  state: CompactionState | undefined,
): number | undefined {
  const newest = messages.findLastIndex((message) => isAi(message));
  const sent = messages[newest - 1];
  return sent?.id !== undefined && sent.id === state?.lastCall?.after ? state.lastCall.at : undefined;
}
