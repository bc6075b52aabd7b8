import type { BaseMessage } from "@langchain/core/messages";
import type { Rewrite } from "../folds/rewrite.js";
import { trimToArchive, type TrimOptions } from "../passes/trim-to-archive.js";
import { applySummary, type ApplySummaryOptions } from "../summary/apply-summary.js";
import type { SummaryPlan } from "../summary/plan-summary.js";
import { emptySummary, renderSummary } from "../summary/summary.js";
import { certify, visibleText } from "./certify.js";
import { chooseExcerpts } from "./choose-excerpts.js";
import { mustKeepAtoms } from "./must-keep.js";

export interface ApplyCertifiedOptions extends ApplySummaryOptions {
  /** Tokens of lines that are put back word for word, at most a tenth of what is folded. @default 0 */
  readonly excerptTokens?: number;
  /** Lines of the summary model that were not taken over; told in the certificate. */
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
  { text, excerptTokens = 0, refused = [], ...options }: ApplyCertifiedOptions,
): Rewrite {
  const atoms = mustKeepAtoms(plan.region);
  const tokens = Math.min(excerptTokens, Math.ceil(options.tokenCounter(plan.folded) * mostShare));
  const bare = applySummary(plan, { ...options, text });
  const messages: readonly BaseMessage[] = [...plan.region, ...plan.tail];
  const excerpts =
    tokens > 0
      ? chooseExcerpts(plan.folded, {
          messages,
          visible: visibleText(bare.messages),
          atoms,
          tokens,
        })
      : [];
  if (excerpts.length === 0) return certify(bare, { atoms, refused });
  const more = renderSummary({ ...emptySummary, excerpts });
  const rewrite = applySummary(plan, { ...options, text: `${text}\n\n${more}` });
  return certify(rewrite, { atoms, refused, excerpts: excerpts.length });
}

/** Returns the context with the planned messages moved to the archive, and a certificate of it. Pure, calls no model. */
export function trimCertified(plan: SummaryPlan, options: TrimOptions): Rewrite {
  return certify(trimToArchive(plan, options), { atoms: mustKeepAtoms(plan.region) });
}
