import type { BaseMessage } from "@langchain/core/messages";
import type { Rewrite } from "../folds/rewrite.js";
import { applySummary, type ApplySummaryOptions } from "../summary/apply-summary.js";
import type { SummaryPlan } from "../summary/plan-summary.js";
import { emptySummary, renderSummary } from "../summary/summary.js";
import { certify, visibleText } from "./certify.js";
import { chooseExcerpts, type ExcerptScorer } from "./choose-excerpts.js";
import { mustKeepAtoms } from "./must-keep.js";

export interface ApplyCertifiedOptions extends ApplySummaryOptions {
  /** Puts lines of the folded messages back word for word. @default none */
  readonly excerpts?: {
    /** Tokens of these lines, at most a tenth of what is folded. */
    readonly tokens: number;
    readonly scorer: ExcerptScorer;
  };
  /** Lines of the summary model that were rejected; the certificate lists them. */
  readonly refused?: readonly string[];
}

/** Share of what is folded that excerpts may take: a summary that repeats what it stands for frees nothing. */
const mostShare = 0.1;

/**
 * Returns the context in which a summary stands for `plan.folded`, what was missing in it put back within a budget, and a
 * certificate of what is in sight, what can be read at which path, and what is in neither.
 *
 * Pure. The certificate is among the writes, so it is in the archive before the fold is used.
 */
export function applyCertified(
  plan: SummaryPlan,
  { text, excerpts: wanted, refused = [], ...options }: ApplyCertifiedOptions,
): Rewrite {
  const atoms = mustKeepAtoms(plan.region);
  const share = Math.ceil(options.tokenCounter(plan.folded) * mostShare);
  const tokens = Math.min(wanted?.tokens ?? 0, share);
  const bare = applySummary(plan, { ...options, text });
  const messages: readonly BaseMessage[] = [...plan.region, ...plan.tail];
  const visible = visibleText(bare.messages);
  const excerpts =
    wanted === undefined || tokens <= 0
      ? []
      : chooseExcerpts(plan.folded, { messages, visible, atoms, tokens, scorer: wanted.scorer });
  if (excerpts.length === 0) return certify(bare, { atoms, refused });
  const more = renderSummary({ ...emptySummary, excerpts });
  const rewrite = applySummary(plan, { ...options, text: `${text}\n\n${more}` });
  return certify(rewrite, { atoms, refused, excerpts: excerpts.length });
}
