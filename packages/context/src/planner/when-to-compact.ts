import { defaults } from "../options.js";
import { compactionBill, isCacheAlive, tokensPriced, type PlannerFacts } from "./compaction-bill.js";

export type CompactionVerdict =
  /** The trigger is met: no price is a reason to wait. */
  | "trigger"
  /** The steps to come save more than it costs, and this is the cheapest distance from the last compaction. */
  | "pays"
  /** The cache has expired: the prompt has to be written anew in any case, so the shorter one is written. */
  | "cache-expired"
  /** A compaction would free next to nothing. */
  | "nothing-to-save"
  /** The steps to come would not earn back what it costs. */
  | "too-few-steps"
  /** It would pay, but pays more when more is folded at once. */
  | "too-soon";

export interface CompactionDecision {
  readonly compact: boolean;
  readonly because: CompactionVerdict;
  /** What a compaction now adds to the bill, in the currency of the prices. */
  readonly expectedCost: number;
  /** What the shorter prompts of the steps to come save against prompts that nothing else shortens. */
  readonly expectedSaving: number;
}

/**
 * Returns whether to compact before the next call, and what that is expected to cost and save.
 *
 * Pure. At or above the trigger it is always due. Below it, the context is a stock that grows by `growth` a step: each
 * step pays `cachedInput` for every token that a compaction would have folded, and a compaction pays once for writing
 * the shorter prompt to the cache, for the summary and for what is read again. With n steps between compactions a step
 * costs `cost / n + cachedInput * growth * n / 2`, which is least at
 *
 *     n = sqrt(2 * cost / (cachedInput * growth))
 *
 * So it waits until `growth * n` tokens can be folded, which batches folds, and compacts then if the steps to come earn
 * it back: `cachedInput * savedTokens * remainingSteps > cost`. What the summary model reads is no part of the first:
 * every token is read by it once, however often. Once the cache has expired the prompt is written anew anyhow; a
 * shorter one costs less than none at all, and the wait is over.
 *
 * It never compacts where a twentieth or less would be freed. More tokens, or dearer cached ones, never turn a yes into
 * a no where a token is folded and later saved for more than the summary model takes to read it.
 */
export function whenToCompact(facts: PlannerFacts): CompactionDecision {
  const { cost, savedTokens, summaryCost, savingPerStep } = compactionBill(facts);
  const { tokens, growth, remainingSteps, prices } = facts;
  const expectedSaving = Math.max(0, savingPerStep * remainingSteps);
  const told = (compact: boolean, because: CompactionVerdict): CompactionDecision => ({
    compact,
    because,
    expectedCost: cost,
    expectedSaving,
  });
  if (tokens >= facts.triggerTokens) return told(true, "trigger");
  if (savedTokens <= defaults.minProgress * tokens) return told(false, "nothing-to-save");
  if (expectedSaving <= cost) return told(false, "too-few-steps");
  const fixed = Math.max(0, cost - summaryCost + summaryOutput(facts));
  const price = prices.cachedInput / tokensPriced;
  const distance = fixed === 0 ? 0 : Math.sqrt((2 * fixed * growth) / price);
  if (savedTokens < distance) return told(false, "too-soon");
  return told(true, isCacheAlive(facts) ? "pays" : "cache-expired");
}

function summaryOutput({ summary, prices, summaryPrices = prices }: PlannerFacts): number {
  return (summaryPrices.output * (summary?.outputTokens ?? 0)) / tokensPriced;
}
