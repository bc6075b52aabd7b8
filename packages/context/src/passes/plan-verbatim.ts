import type { BaseMessage } from "@langchain/core/messages";
import { isOwn } from "../folds/fold.js";
import { unchanged, type Rewrite } from "../folds/rewrite.js";
import { isToolResult } from "../messages/tool-calls.js";
import { maskToolResults } from "./mask-tool-results.js";
import { planSummary, type PlanSummaryOptions, type SummaryPlan } from "../summary/plan-summary.js";
import { estimateTokens } from "../tokens/estimate-tokens.js";
import { chooseVerbatim, type ChooseVerbatimOptions } from "../retention/choose-verbatim.js";

export interface PlanVerbatimOptions
  extends PlanSummaryOptions, Omit<ChooseVerbatimOptions, "cut" | "tokenCounter"> {}

/** A plan that keeps promoted messages verbatim. */
export interface VerbatimPlan {
  readonly plan: SummaryPlan;
  /** Writes and folds of the masked results of promoted calls; apply them together with the plan. */
  readonly shortened: Pick<Rewrite, "writes" | "folds">;
  /** Ids of the promoted messages; empty when none fits the budget. */
  readonly promoted: ReadonlySet<string>;
}

/** Maximum attempts with a smaller selection while it exceeds the budget; one more uses the room that is left. */
const maxAttempts = 4;

/**
 * Plans a fold before `cut` that keeps the most important messages verbatim. Returns undefined when the plan would fold
 * nothing new. Pure, no model.
 *
 * A provider requires all results of a call, so the results of a promoted call stay too: each as one line with the path
 * of the original, unless the result is promoted or pinned. Promotion adds at most `tokens` to the context; when nothing
 * fits, the plan equals that of `planSummary`.
 */
export function planVerbatim(
  messages: readonly BaseMessage[],
  { tokens, importance, markers, end, ...options }: PlanVerbatimOptions,
): VerbatimPlan | undefined {
  const { tokenCounter = estimateTokens, cut } = options;
  const bare = planSummary(messages, options);
  const none = bare && { plan: bare, shortened: unchanged(messages), promoted: new Set<string>() };
  if (bare === undefined || (importance === undefined && markers === undefined)) return none;
  const choice = { cut, end, tokenCounter, importance, markers };
  const attempt = (budget: number) => {
    const promoted = chooseVerbatim(messages, { ...choice, tokens: budget });
    if (promoted.size === 0) return undefined;
    const planned = withPromoted(messages, promoted, { ...options, bare });
    const added = tokenCounter(planned?.plan.carried ?? []) - tokenCounter(bare.carried);
    return planned && { planned, added };
  };
  return largestFitting(tokens, attempt) ?? none;
}

interface Attempt {
  readonly planned: VerbatimPlan;
  /** Tokens that it adds to the context. */
  readonly added: number;
}

/**
 * Returns the largest plan that adds at most `tokens`; undefined if none does. A selection reserves for each result the longest
 * line that it may become, so what is left of the tokens goes into another attempt.
 */
function largestFitting(
  tokens: number,
  attempt: (budget: number) => Attempt | undefined,
): VerbatimPlan | undefined {
  let budget = tokens;
  for (let attempts = maxAttempts; attempts > 0 && budget > 0; attempts--) {
    const tried = attempt(budget);
    if (tried === undefined) return undefined;
    const left = tokens - tried.added;
    if (left < 0) {
      budget = Math.min(budget / 2, budget + left);
      continue;
    }
    const larger = attempt(budget + left);
    return larger !== undefined && larger.added <= tokens ? larger.planned : tried.planned;
  }
  return undefined;
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
  const before = new Set<BaseMessage>(bare.carried);
  const beside = new Set<BaseMessage>(
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
  const carried = plan.carried.map((message) => lines.get(message) ?? message).filter(isOwn);
  return { plan: { ...plan, carried }, shortened: { writes, folds }, promoted };
}
