import type { BaseMessage } from "@langchain/core/messages";
import {
  dropStaleReasoning,
  shrinkToFit,
  truncateToolInputs,
  type Rewrite,
  type SummaryPlan,
} from "@palimpsest/context";
import { joinRewrites, overflowParts, unchanged, type OverflowPart } from "@palimpsest/context/internal";
import type { WrittenSummary } from "../summary/write-summary.js";
import type { CompactionFacts } from "./compaction-facts.js";
import { applyPlanned, foldIntoBareSummary, foldIntoNote, foldIntoSummary } from "./fold-span.js";
import type { Limits } from "./limits.js";
import { type CompactionPlan, type Refusal, type SummarySpan } from "./plan-compaction.js";

/** The result of a compaction. Tokens are those of the whole prompt. */
export interface CompactionResult {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Undefined when nothing is worth applying: then `refusal` says why. */
  readonly rewrite?: Rewrite;
  readonly refusal?: Refusal;
  /** The parts of the prompt if it stays over the window; undefined if it fits. */
  readonly overflow?: readonly OverflowPart[];
}

/**
 * Returns the rewrite of a plan with the summary of its span, checked against the limits. Without a summary, the span goes to
 * the archive and a note takes its place. Pure.
 */
export function applyPlan(
  plan: CompactionPlan,
  written: WrittenSummary | undefined,
  facts: CompactionFacts,
): CompactionResult {
  const { limits, span } = plan;
  const { messages, options, measure } = facts;
  const { size, tokensBefore, maxTokensAfter } = limits;
  const { maxPromptTokens } = options;
  const isOver = measure.tokens > maxPromptTokens;
  if (plan.refusal !== undefined) return refused(plan.refusal);
  const folded =
    plan.rewrite ?? (span === undefined ? unchanged(messages) : applySpan(span, written, { facts, limits }));
  const shrunk = size(folded.messages) <= limits.shrinkAbove ? folded : shrink(folded, { facts, limits });
  if (shrunk.folds.length === 0) {
    return refused({ reason: "nothing-to-fold", message: "The model has seen nothing that can be folded" });
  }
  const rewrite = dropStaleReasoning(messages, shrunk, options);
  const tokensAfter = size(rewrite.messages);
  if (tokensAfter > maxTokensAfter && !(isOver && tokensAfter <= maxPromptTokens)) {
    const message = `Only ${tokensBefore - tokensAfter} of ${tokensBefore} tokens would be freed`;
    return refused({ reason: "too-little-freed", message });
  }
  const result = {
    tokensBefore,
    tokensAfter,
    rewrite: joinRewrites(facts.covered, rewrite),
  };
  if (tokensAfter <= maxPromptTokens) return result;
  return { ...result, overflow: overflowParts(rewrite.messages, { ...options, measure }) };

  function refused(refusal: Refusal): CompactionResult {
    return {
      tokensBefore,
      tokensAfter: tokensBefore,
      refusal,
      ...(isOver ? { overflow: overflowParts(messages, { ...options, measure }) } : {}),
    };
  }
}

interface Applying {
  readonly facts: CompactionFacts;
  readonly limits: Limits;
}

/** Returns the rewrite with single large messages shortened; over the window, also those that the model has not seen. */
function shrink(rewrite: Rewrite, { facts, limits }: Applying): Rewrite {
  const { options, measure } = facts;
  const { target, window } = limits;
  return joinRewrites(rewrite, shrinkToFit(rewrite.messages, { ...options, measure, target, window }));
}

/** Returns the rewrite of a span: with its summary if that frees enough, else with a note. */
function applySpan(
  span: SummarySpan,
  written: WrittenSummary | undefined,
  { facts, limits }: Applying,
): Rewrite {
  const trim = (plan: SummaryPlan) => foldIntoNote(plan, facts);
  if (written === undefined) {
    const trims = span.plans.map((plan) => applyPlanned(plan, trim));
    return trims.find(({ messages }) => limits.fits(messages)) ?? trims.at(-1) ?? trim(span.plans[0].plan);
  }
  if (span.widest !== undefined) return applyWidening(span, { written, facts, limits });
  const [only] = span.plans;
  const summary = applyPlanned(only, (plan) => foldIntoSummary(plan, written, facts));
  return limits.size(summary.messages) <= limits.maxSummaryTokens ? summary : applyPlanned(only, trim);
}

interface Widening extends Applying {
  readonly written: WrittenSummary;
}

/**
 * Returns the first of these that is short enough: a plan with the summary, the same with the inputs of the newest calls
 * truncated, with single large messages shortened, the widest plan with the summary. The last one is the widest plan with a
 * note, which calls no model and cannot fail.
 */
function applyWidening({ plans, widest }: SummarySpan, { written, facts, limits }: Widening): Rewrite {
  const { messages, options, measure } = facts;
  const { fits, size, target, maxSummaryTokens } = limits;
  let truncated = unchanged(messages);
  for (const plan of plans) {
    const summary = applyPlanned(plan, (one) => foldIntoSummary(one, written, facts));
    if (fits(summary.messages)) return summary;
    const pin = (message: BaseMessage) =>
      plan.promoted.has(message.id ?? "") || options.pin?.(message) === true;
    truncated = joinRewrites(summary, truncateToolInputs(summary.messages, { ...options, pin }));
    if (fits(truncated.messages)) return truncated;
  }
  const goals = { measure, target, window: Infinity };
  const shrunk = joinRewrites(truncated, shrinkToFit(truncated.messages, { ...options, ...goals }));
  const isShrunk = shrunk.folds.length > truncated.folds.length;
  if (isShrunk && size(shrunk.messages) <= maxSummaryTokens) return shrunk;
  if (widest === undefined) return truncated;
  const further = widest.folded.length - (plans.at(-1) ?? plans[0]).plan.folded.length;
  const note = further > 0 ? `\n\n${further} further messages are in the file above.` : "";
  const wide = foldIntoBareSummary(widest, { ...written, text: written.text + note }, facts);
  const shorter = size(wide.messages) < size(truncated.messages) ? wide : truncated;
  return size(shorter.messages) <= maxSummaryTokens ? shorter : foldIntoNote(widest, facts);
}
