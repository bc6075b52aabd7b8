import type { BaseMessage } from "@langchain/core/messages";
import type { Rewrite } from "../folds/rewrite.js";
import { applySummary, type ApplySummaryOptions } from "../summary/apply-summary.js";
import type { SummaryPlan } from "../summary/plan-summary.js";
import { emptySummary, renderSummary } from "../summary/summary.js";
import { certify, visibleText } from "./certify.js";
import { chooseExcerpts, type ExcerptScorer } from "./choose-excerpts.js";
import { mustKeepAtoms } from "./must-keep.js";

export interface ApplyCertifiedOptions extends ApplySummaryOptions {
  /** Adds verbatim lines of the folded messages to the summary. @default none */
  readonly excerpts?: {
    /** Maximum tokens of these lines; capped at a tenth of the folded tokens. */
    readonly tokens: number;
    readonly scorer: ExcerptScorer;
  };
  /** Lines of the summary model that were rejected; the certificate lists them. */
  readonly refused?: readonly string[];
}

/** Maximum share of the folded tokens that excerpts may take, so that the fold still frees space. */
const maxExcerptShare = 0.1;

/**
 * Returns the context in which a summary and verbatim excerpts replace `plan.folded`, with a certificate that lists which
 * must-keep strings are visible, which are retrievable from the archive, and which are lost.
 *
 * Pure. The certificate is among the writes, so the archive holds it before the fold takes effect.
 */
export function applyCertified(
  plan: SummaryPlan,
  { text, excerpts: excerptOptions, refused = [], ...options }: ApplyCertifiedOptions,
): Rewrite {
  const atoms = mustKeepAtoms(plan.region);
  const share = Math.ceil(options.tokenCounter(plan.folded) * maxExcerptShare);
  const tokens = Math.min(excerptOptions?.tokens ?? 0, share);
  const bare = applySummary(plan, { ...options, text });
  const messages: readonly BaseMessage[] = [...plan.region, ...plan.tail];
  const visible = visibleText(bare.messages);
  const excerpts =
    excerptOptions === undefined || tokens <= 0
      ? []
      : chooseExcerpts(plan.folded, { messages, visible, atoms, tokens, scorer: excerptOptions.scorer });
  if (excerpts.length === 0) return certify(bare, { atoms, refused });
  const more = renderSummary({ ...emptySummary, excerpts });
  const rewrite = applySummary(plan, { ...options, text: `${text}\n\n${more}` });
  return certify(rewrite, { atoms, refused, excerpts: excerpts.length });
}
