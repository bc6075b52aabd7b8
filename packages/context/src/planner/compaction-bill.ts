import { defaults } from "../defaults.js";
import type { PlannerFacts } from "./planner-facts.js";
import { promptPrice, tokensPriced } from "./prices.js";

/** What one compaction costs and saves; money in the currency of the prices. */
export interface CompactionBill {
  /** Tokens of the shorter prompt that the cache does not hold. */
  readonly rewrittenTokens: number;
  /** Tokens by which every later prompt is shorter. */
  readonly savedTokens: number;
  /** What the summary call costs. */
  readonly summaryCost: number;
  /** What the compaction adds to the bill: prefix rewritten, summary call, reading again; 0 where the shorter prompt pays for them at once. */
  readonly cost: number;
  /** What every later step saves. */
  readonly savingPerStep: number;
}

/** Returns what a compaction would cost and save. Pure. */
export function compactionBill(facts: PlannerFacts): CompactionBill {
  const { tokens, tokensAfter, prices, rereadTokens = defaults.rereadTokens } = facts;
  const cached = isCacheAlive(facts) ? Math.min(facts.cachedTokens, tokens) : 0;
  const stable = Math.min(facts.stableTokens, cached, tokensAfter);
  const summaryCost = summaryPrice(facts);
  const again = promptPrice(rereadTokens, 0, prices);
  const extra = promptPrice(tokensAfter, stable, prices) - promptPrice(tokens, cached, prices);
  const savedTokens = tokens - tokensAfter;
  return {
    rewrittenTokens: tokensAfter - stable,
    savedTokens,
    summaryCost,
    cost: Math.max(0, extra + again + summaryCost),
    savingPerStep: (prices.cachedInput * savedTokens) / tokensPriced,
  };
}

/** True while the cache still has what the last call left there. Pure. */
export function isCacheAlive({ idleSeconds = 0, cacheSeconds = Infinity }: PlannerFacts): boolean {
  return idleSeconds < cacheSeconds;
}

function summaryPrice(facts: PlannerFacts): number {
  const { summary, prices, summaryPrices = prices } = facts;
  if (summary === undefined) return 0;
  const cached = isCacheAlive(facts) ? Math.min(summary.cachedTokens, summary.inputTokens) : 0;
  // Nobody asks the same thing twice, so the call writes nothing to the cache.
  const { input, cachedInput, output } = summaryPrices;
  const spent = cachedInput * cached + input * (summary.inputTokens - cached) + output * summary.outputTokens;
  return spent / tokensPriced;
}
