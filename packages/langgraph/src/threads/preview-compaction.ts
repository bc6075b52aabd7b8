import type { BaseMessage } from "@langchain/core/messages";
import { renderSummary, withIds, type Fold } from "@palimpsest/context";
import type { CompactionReason, SkipReason } from "../context-event.js";
import type { ContextOptions } from "../options/context-options.js";
import type { CompactionState } from "../run/context-state.js";
import { resolveOptions, triggerSize } from "../options/resolve-options.js";
import { extractedSummary, type WrittenSummary } from "../summary/write-summary.js";
import { applyPlan } from "../compaction/apply-plan.js";
import { compactionDue } from "../compaction/compaction-due.js";
import { compactionFacts, type HostRequest } from "../compaction/compaction-facts.js";
import { offloadArrivalsOf } from "../compaction/offload-arrivals.js";
import { planCompaction } from "../compaction/plan-compaction.js";
import { requireOptions } from "../options/require-options.js";

export interface PreviewCompactionOptions extends ContextOptions {
  /** The state's `compaction`, which makes the sizes exact after a compaction. */
  readonly compaction?: CompactionState | undefined;
  /** Previews what `compactThread` would do. @default what the node would do */
  readonly request?: HostRequest | undefined;
}

/** What a compaction would do. Tokens are those of the whole prompt; no summary is written, so its size is estimated. */
export interface CompactionPreview {
  /** Why the node would compact now; undefined when the trigger is not met. The other fields are filled in either case. */
  readonly due: CompactionReason | undefined;
  /** What would be folded: kind, path, ids of the covered messages, tokens before and after. */
  readonly folds: readonly Fold[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly tokensSaved: number;
  /** The fewest tokens that any compaction could leave. */
  readonly minimumTokens: number;
  /** Tokens from which the trigger is met. */
  readonly triggerTokens: number;
  readonly contextWindow: number;
  /** Why nothing beyond the offloading of large results would be folded; undefined when something would. */
  readonly reason?: SkipReason;
  readonly message?: string;
}

/**
 * Returns what a compaction of these messages would fold and save, or why it would not.
 *
 * Writes nothing, calls no model and changes nothing.
 * @throws ContextError when an option cannot work, or `request.above` is no message of the list.
 */
export async function previewCompaction(
  messages: readonly BaseMessage[],
  options: PreviewCompactionOptions,
): Promise<CompactionPreview> {
  requireOptions(options, "previewCompaction");
  const { compaction, request } = options;
  const resolved = resolveOptions(options);
  const arrivals = offloadArrivalsOf(withIds(messages), resolved, { state: compaction });
  const { measure: measureNow, reason: due } = compactionDue(arrivals.messages, resolved, compaction);
  const measure = measureNow();
  const facts = compactionFacts(arrivals.messages, {
    options: resolved,
    measure,
    reason: request === undefined ? (due ?? "trigger") : "user",
    request,
  });
  const plan = planCompaction(facts);
  const written =
    plan.span === undefined || facts.strategy === "archive" ? undefined : extracted(plan.span.region);
  const { tokensBefore: offloaded, tokensAfter, rewrite, refusal } = applyPlan(plan, written, facts);
  const freed = arrivals.folds.reduce((sum, fold) => sum + fold.tokensBefore - fold.tokensAfter, 0);
  const tokensBefore = offloaded + Math.ceil(measure.tokenRatio * freed);
  return {
    due,
    folds: [...arrivals.folds, ...(rewrite?.folds ?? [])],
    tokensBefore,
    tokensAfter,
    tokensSaved: tokensBefore - tokensAfter,
    minimumTokens: plan.limits.minimumTokens(),
    triggerTokens: triggerSize(resolved, 1),
    contextWindow: resolved.contextWindow,
    ...refusal,
  };

  function extracted(region: readonly BaseMessage[]): WrittenSummary {
    return { text: renderSummary(extractedSummary(region, resolved)), source: "messages", refused: [] };
  }
}
