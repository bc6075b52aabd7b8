import type { BaseMessage } from "@langchain/core/messages";
import {
  applyCertified,
  dropStaleReasoning,
  shrinkToFit,
  trimCertified,
  truncateToolInputs,
  type Rewrite,
  type SummaryPlan,
} from "@palimpsest/context";
import { joinRewrites, overflowParts, unchanged, type OverflowPart } from "@palimpsest/context/internal";
import { reuseOf } from "@palimpsest/context/selection";
import type { WrittenSummary } from "../summary/write-summary.js";
import type { CompactionFacts } from "./compaction-facts.js";
import type { Limits } from "./limits.js";
import { applyPlanned } from "./pins.js";
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
  step: CompactionFacts,
): CompactionResult {
  const { limits, span } = plan;
  const { messages, options, measure } = step;
  const { size, tokensBefore, maxTokensAfter } = limits;
  const { maxPromptTokens } = options;
  const isOver = measure.tokens > maxPromptTokens;
  if (plan.refusal !== undefined) return refused(plan.refusal);
  const folded =
    plan.rewrite ?? (span === undefined ? unchanged(messages) : applySpan(span, written, { step, limits }));
  const shrunk = size(folded.messages) <= limits.shrinkAbove ? folded : shrink(folded, { step, limits });
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
    rewrite: joinRewrites(step.covered, rewrite),
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
  readonly step: CompactionFacts;
  readonly limits: Limits;
}

/** Returns the rewrite with single large messages shortened; over the window, also those that the model has not seen. */
function shrink(rewrite: Rewrite, { step, limits }: Applying): Rewrite {
  const { options, measure } = step;
  const { target, window } = limits;
  return joinRewrites(rewrite, shrinkToFit(rewrite.messages, { ...options, measure, target, window }));
}

/** Returns the rewrite of a span: with its summary if that frees enough, else with a note. */
function applySpan(
  span: SummarySpan,
  written: WrittenSummary | undefined,
  { step, limits }: Applying,
): Rewrite {
  const { options, reason, preserveMarkers } = step;
  const { tokenCounter, excerptTokens, userLineTokens, lane } = options;
  const common = { tokenCounter, userLineTokens, reason, lane };
  const trim = (plan: SummaryPlan) => trimCertified(plan, { ...common, preserveMarkers });
  if (written === undefined) {
    const trims = span.plans.map((plan) => applyPlanned(plan, trim));
    return trims.find(({ messages }) => limits.fits(messages)) ?? trims.at(-1) ?? trim(span.plans[0].plan);
  }
  const summarize = (plan: SummaryPlan) =>
    applyCertified(plan, {
      ...written,
      ...common,
      excerpts: { tokens: excerptTokens, scorer: reuseOf },
    });
  if (span.widest !== undefined) return applyWidening(span, { written, summarize, trim, step, limits });
  const [only] = span.plans;
  const summary = applyPlanned(only, summarize);
  return limits.size(summary.messages) <= limits.maxSummaryTokens ? summary : applyPlanned(only, trim);
}

interface Widening extends Applying {
  readonly written: WrittenSummary;
  readonly summarize: (plan: SummaryPlan) => Rewrite;
  readonly trim: (plan: SummaryPlan) => Rewrite;
}

/**
 * Returns the first of these that is short enough: a plan with the summary, the same with the inputs of the newest calls
 * truncated, with single large messages shortened, the widest plan with the summary. The last one is the widest plan with a
 * note, which calls no model and cannot fail.
 */
function applyWidening(
  { plans, widest }: SummarySpan,
  { written, summarize, trim, step, limits }: Widening,
): Rewrite {
  const { messages, options, reason, measure } = step;
  const { fits, size, target, maxSummaryTokens } = limits;
  let truncated = unchanged(messages);
  for (const plan of plans) {
    const summary = applyPlanned(plan, summarize);
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
  const { tokenCounter, userLineTokens, lane } = options;
  const text = written.text + note;
  const wide = applyCertified(widest, { ...written, text, reason, tokenCounter, userLineTokens, lane });
  const shorter = size(wide.messages) < size(truncated.messages) ? wide : truncated;
  return size(shorter.messages) <= maxSummaryTokens ? shorter : trim(widest);
}
