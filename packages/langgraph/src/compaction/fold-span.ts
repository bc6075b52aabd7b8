import { applyCertified, trimCertified, type Rewrite, type SummaryPlan } from "@palimpsest/context";
import type { VerbatimPlan } from "@palimpsest/context/internal";
import { reuseOf } from "@palimpsest/context/selection";
import type { WrittenSummary } from "../summary/write-summary.js";
import type { CompactionFacts } from "./compaction-facts.js";

/** Returns the rewrite with a summary in place of what a plan folds, and with the lines of it that the next steps may use. Pure. */
export function foldIntoSummary(plan: SummaryPlan, written: WrittenSummary, facts: CompactionFacts): Rewrite {
  const excerpts = { tokens: facts.options.excerptTokens, scorer: reuseOf };
  return applyCertified(plan, { ...written, ...foldOptions(facts), excerpts });
}

/** Returns the rewrite with a summary and no lines beside it. Pure. */
export function foldIntoBareSummary(
  plan: SummaryPlan,
  written: WrittenSummary,
  facts: CompactionFacts,
): Rewrite {
  return applyCertified(plan, { ...written, ...foldOptions(facts) });
}

/** Returns the rewrite with a note in place of what a plan folds: it needs no model, and cannot fail. Pure. */
export function foldIntoNote(plan: SummaryPlan, facts: CompactionFacts): Rewrite {
  return trimCertified(plan, { ...foldOptions(facts), preserveMarkers: facts.preserveMarkers });
}

function foldOptions({ options, reason }: CompactionFacts) {
  const { tokenCounter, userLineTokens, lane } = options;
  return { tokenCounter, userLineTokens, reason, lane };
}

/** Returns the rewrite of a plan with the folds that shorten large results beside promoted messages. */
export function applyPlanned(
  { plan, shortened }: VerbatimPlan,
  apply: (plan: SummaryPlan) => Rewrite,
): Rewrite {
  const rewrite = apply(plan);
  return {
    ...rewrite,
    writes: [...shortened.writes, ...rewrite.writes],
    folds: [...shortened.folds, ...rewrite.folds],
  };
}
