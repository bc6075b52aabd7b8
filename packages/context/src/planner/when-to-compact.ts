import { defaults } from "../options.js";
import { compactionBill, isCacheAlive, tokensPriced, type PlannerFacts } from "./compaction-bill.js";

export type CompactionVerdict =
  /** The prompt has reached the trigger: compact regardless of cost. */
  | "trigger"
  /** The remaining steps save more than the compaction costs, and enough tokens can be folded. */
  | "pays"
  /** The cache has expired: the whole prompt must be rewritten anyway, so write the shorter one. */
  | "cache-expired"
  /** A compaction would free almost no tokens. */
  | "nothing-to-save"
  /** The remaining steps would not recover the cost. */
  | "too-few-steps"
  /** It would pay now, but a larger fold later is cheaper per step. */
  | "too-soon";

export interface CompactionDecision {
  readonly compact: boolean;
  readonly reason: CompactionVerdict;
  /** Net cost of a compaction now, in the currency of the prices. */
  readonly expectedCost: number;
  /** Saving of the shorter prompts over the remaining steps, if no other compaction follows. */
  readonly expectedSaving: number;
}

/**
 * Returns whether to compact before the next call, with the expected cost and saving.
 *
 * Pure. At or above the trigger, always compacts. Below it, uses the economic order quantity: the context grows by
 * `growth` tokens per step, each step pays `cachedInput` for every token that a compaction would have folded, and a
 * compaction pays once for writing the shorter prompt to the cache, for the summary and for rereads. With n steps between
 * compactions, a step costs `cost / n + cachedInput * growth * n / 2`, which has its minimum at
 *
 *     n = sqrt(2 * cost / (cachedInput * growth))
 *
 * The planner therefore waits until `growth * n` tokens can be folded, and compacts then if the remaining steps recover
 * the cost: `cachedInput * savedTokens * remainingSteps > cost`. The formula for n excludes the summary model's input,
 * because the model reads every token once whatever n is. When the cache has expired, the prompt must be rewritten anyway
 * and the shorter one costs less, so the planner does not wait.
 *
 * Below the trigger, never compacts when it would free a twentieth of the prompt or less. More tokens, or a higher
 * `cachedInput`, never turn a yes into a no, provided that folding a token saves more than the summary model pays to read it.
 */
export function whenToCompact(facts: PlannerFacts): CompactionDecision {
  const { cost, savedTokens, summaryCost, savingPerStep } = compactionBill(facts);
  const { tokens, growth, remainingSteps, prices } = facts;
  const expectedSaving = Math.max(0, savingPerStep * remainingSteps);
  const decide = (compact: boolean, reason: CompactionVerdict): CompactionDecision => ({
    compact,
    reason,
    expectedCost: cost,
    expectedSaving,
  });
  if (tokens >= facts.triggerTokens) return decide(true, "trigger");
  if (savedTokens <= defaults.minProgress * tokens) return decide(false, "nothing-to-save");
  if (expectedSaving <= cost) return decide(false, "too-few-steps");
  const fixed = Math.max(0, cost - summaryCost + summaryOutput(facts));
  const price = prices.cachedInput / tokensPriced;
  const distance = fixed === 0 ? 0 : Math.sqrt((2 * fixed * growth) / price);
  if (savedTokens < distance) return decide(false, "too-soon");
  return decide(true, isCacheAlive(facts) ? "pays" : "cache-expired");
}

function summaryOutput({ summary, prices, summaryPrices = prices }: PlannerFacts): number {
  return (summaryPrices.output * (summary?.outputTokens ?? 0)) / tokensPriced;
}
