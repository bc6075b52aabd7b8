import type { BaseMessage } from "@langchain/core/messages";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { isToolResult } from "../messages/tool-calls.js";
import { maskToolResults } from "./mask-tool-results.js";
import { planSummary, type PlanSummaryOptions, type SummaryPlan } from "../summary/plan-summary.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { chooseVerbatim, type ChooseVerbatimOptions } from "../retention/choose-verbatim.js";

export interface PlanVerbatimOptions
  extends PlanSummaryOptions, Omit<ChooseVerbatimOptions, "cut" | "tokenCounter"> {}

/** A plan in which promoted messages stay word for word. */
export interface VerbatimPlan {
  readonly plan: SummaryPlan;
  /** What shortens the results beside promoted messages: to be applied together with the plan. */
  readonly shortened: Pick<Rewrite, "writes" | "folds">;
  /** Ids of the promoted messages; empty where none fits the budget. */
  readonly promoted: ReadonlySet<string>;
}

/** How often fewer messages are tried where what has to stay beside them goes over the budget. */
const tries = 4;

/**
 * Returns what to fold before `cut` so that the most important messages stay word for word, or undefined when that
 * would replace nothing new. Pure, no model.
 *
 * A provider wants every call with all its results, so the results of a promoted call stay as well: in a line each, with
 * the path of the original, unless they are promoted or pinned themselves. All that promotion adds to the context stays
 * within `tokens`; without room for any of it, the plan is the one of `planSummary`.
 */
export function planVerbatim(
  messages: readonly BaseMessage[],
  { tokens, importance, markers, end, ...options }: PlanVerbatimOptions,
): VerbatimPlan | undefined {
  const { tokenCounter = estimateTokens, cut } = options;
  const bare = planSummary(messages, options);
  const none = bare && { plan: bare, shortened: unchanged(messages), promoted: new Set<string>() };
  if (bare === undefined || (importance === undefined && markers === undefined)) return none;
  let budget = tokens;
  for (let left = tries; left > 0 && budget > 0; left--) {
    const choice = { cut, end, tokens: budget, tokenCounter, importance, markers };
    const promoted = chooseVerbatim(messages, choice);
    if (promoted.size === 0) return none;
    const planned = withPromoted(messages, promoted, { ...options, bare });
    if (planned === undefined) return none;
    const added = tokenCounter(planned.plan.carried) - tokenCounter(bare.carried);
    if (added <= tokens) return planned;
    budget = Math.min(budget / 2, budget - (added - tokens));
  }
  return none;
}

function withPromoted(
  messages: readonly BaseMessage[],
  promoted: ReadonlySet<string>,
  { bare, ...options }: PlanSummaryOptions & { readonly bare: SummaryPlan },
): VerbatimPlan | undefined {
  const { pin, tokenCounter } = options;
  const isPromoted = ({ id }: BaseMessage) => id !== undefined && promoted.has(id);
  const plan = planSummary(messages, {
    ...options,
    pin: (message) => isPromoted(message) || pin?.(message) === true,
  });
  if (plan === undefined) return undefined;
  const before = new Set(bare.carried);
  const beside = new Set(
    plan.carried.filter((one) => isToolResult(one) && !isPromoted(one) && !before.has(one)),
  );
  const {
    writes,
    folds,
    messages: masked,
  } = maskToolResults(messages, {
    keepSteps: 0,
    pin: (message) => !beside.has(message),
    ...(tokenCounter === undefined ? {} : { tokenCounter }),
  });
  const lines = new Map(messages.map((message, index) => [message, masked[index] ?? message]));
  const carried = plan.carried.map((message) => lines.get(message) ?? message);
  return { plan: { ...plan, carried }, shortened: { writes, folds }, promoted };
}
