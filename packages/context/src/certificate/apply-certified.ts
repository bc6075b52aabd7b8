import type { BaseMessage } from "@langchain/core/messages";
import { applySummary, type ApplySummaryOptions } from "../apply-summary.js";
import type { SummaryPlan } from "../plan-summary.js";
import { chooseExcerpts } from "../retention/choose-excerpts.js";
import type { Rewrite } from "../rewrite.js";
import { emptySummary, renderSummary } from "../summary.js";
import { certify } from "./certify.js";
import { mustKeepAtoms } from "./must-keep.js";
import { visibleText } from "./visible-text.js";

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
