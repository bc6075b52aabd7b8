import type { BaseMessage } from "@langchain/core/messages";
import { compactionBill, type Prices } from "@palimpsest/context";
import {
  isAi,
  isSummary,
  lastCallAt,
  promptPrice,
  reportedCall,
  threadPace,
  type CompactionBill,
  type ContextMeasure,
  type SummaryTokens,
} from "@palimpsest/context/internal";
import type { FirstCall, PlannedBill } from "../../context-event.js";
import type { CompactionState, PlannerState } from "../../run/context-state.js";
import type { PricedPlanner, ResolvedOptions } from "../../options/resolve-options.js";
import { counterOf } from "../../run/measure.js";
import { plannerFacts, samePrefix } from "./planner-facts.js";

interface PlannerReportOptions {
  readonly options: ResolvedOptions;
  readonly measure: ContextMeasure;
  readonly state: CompactionState | undefined;
  readonly after: readonly BaseMessage[];
  readonly tokensAfter: number;
  /** Tokens of the summary calls. */
  readonly usage?: SummaryTokens | undefined;
}

/** The bill of a compaction for its event, and what the planner remembers. */
interface PlannerReport {
  readonly bill?: PlannedBill;
  readonly state: Pick<CompactionState, "planner">;
}

/** Returns what a compaction cost and will save, and what the compaction before it has saved. Empty without a planner. */
export function plannerReport(
  before: readonly BaseMessage[],
  { options, measure, state, after, tokensAfter, usage }: PlannerReportOptions,
): PlannerReport {
  const { planner } = options;
  const facts = planner && plannerFacts(before, { options, planner, measure, state });
  if (facts === undefined) return { state: {} };
  const count = counterOf(measure, options);
  const wrote = after.some((message) => isSummary(message) && !before.includes(message));
  const estimate = wrote ? facts.summary : undefined;
  const bill = compactionBill({
    ...facts,
    tokensAfter,
    stableTokens: measure.overheadTokens + count(samePrefix(before, after)),
    // The provider's count, or the estimate if the usage of a call is missing.
    summary: usage?.reportedCalls === usage?.calls ? (usage ?? estimate) : estimate,
  });
  const last = state?.planner;
  const pace = threadPace(before, count, last?.folded);
  const left = threadPace(after, count);
  const since = last === undefined ? 0 : pace.steps - last.steps;
  return {
    bill: {
      ...bill,
      ...(last === undefined
        ? {}
        : {
            last: {
              steps: since,
              cost: last.cost,
              saved: since * last.savingPerStep,
              ...firstCall(before, last, facts.prices),
            },
          }),
    },
    state: {
      planner: {
        folded: { steps: pace.steps - left.steps, tokens: Math.max(0, pace.tokens - left.tokens) },
        steps: pace.steps,
        cost: bill.cost,
        savingPerStep: bill.savingPerStep,
        ...predictedCall(after, { tokensAfter, bill, prices: facts.prices }),
      },
    },
  };
}

/** Returns the bill of the first call after the last compaction, from the answer to it in the context. */
function firstCall(
  messages: readonly BaseMessage[],
  { firstCall: call }: PlannerState,
  prices: Prices,
): { readonly firstCall?: FirstCall } {
  if (call === undefined) return {};
  const sent = messages.findIndex(({ id }) => id === call.after);
  const answer = sent < 0 ? undefined : messages.slice(sent + 1).find((message) => isAi(message));
  const reported = answer && reportedCall(answer, prices);
  return reported === undefined ? {} : { firstCall: { predicted: call.predicted, reported } };
}

interface PredictedCall {
  readonly tokensAfter: number;
  readonly bill: CompactionBill;
  readonly prices: Prices;
}

function predictedCall(
  messages: readonly BaseMessage[],
  { tokensAfter: tokens, bill, prices }: PredictedCall,
): Pick<PlannerState, "firstCall"> {
  const after = messages.at(-1)?.id;
  if (after === undefined) return {};
  const cachedTokens = tokens - bill.rewrittenTokens;
  const predicted = { tokens, cachedTokens, cost: promptPrice(tokens, cachedTokens, prices) };
  return { firstCall: { after, predicted } };
}

/** Returns a note of the time of the next call, if the planner needs it and no message will record it. */
export function callNote(
  messages: readonly BaseMessage[],
  { cacheSeconds, now = Date.now }: PricedPlanner,
): Pick<CompactionState, "lastCall"> | undefined {
  const after = messages.at(-1)?.id;
  if (cacheSeconds === undefined || after === undefined) return undefined;
  // Before the first answer it is unknown whether the provider reports the time.
  if (lastCallAt(messages) !== undefined) return undefined;
  return { lastCall: { at: now(), after } };
}
