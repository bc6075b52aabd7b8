import { ContextError } from "../context-error.js";
import { defaults, requireNotNegative } from "../options.js";

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

/** What a provider charges for a million tokens, in any currency. There is no default: prices change, and differ by contract. */
export interface Prices {
  /** A token of a prompt that is not in the cache and is not written to it. */
  readonly input: number;
  /** A token of a prompt that is read from the cache; at most `input`. Equal to it where the provider has no cache. */
  readonly cachedInput: number;
  /** A token of a prompt that is written to the cache. @default `input` */
  readonly cacheWrite?: number;
  /** A token that the model writes. */
  readonly output: number;
}

/**
 * Refuses prices by which nothing can be reckoned.
 *
 * @throws ContextError `bad-option`, naming the value and the way out.
 */
export function checkPrices(name: string, prices: Prices): void {
  const { input, cachedInput, cacheWrite = input, output } = prices;
  for (const [field, value] of Object.entries({ input, cachedInput, cacheWrite, output })) {
    requireNotNegative(`${name}.${field}`, value);
  }
  if (cachedInput > Math.min(input, cacheWrite)) {
    throw new ContextError(
      "bad-option",
      `${name}.cachedInput is ${cachedInput}: a token in the cache costs no more than one that is not (${Math.min(input, cacheWrite)})`,
    );
  }
}

/** Returns what so many tokens of a prompt cost, of which `cached` are in the cache and the rest is written to it. Pure. */
export function promptPrice(tokens: number, cached: number, prices: Prices): number {
  const { input, cachedInput, cacheWrite = input } = prices;
  return (cachedInput * cached + cacheWrite * (tokens - cached)) / tokensPriced;
}

/** Tokens that a price is for. */
export const tokensPriced = 1_000_000;

/** What {@link whenToCompact} weighs. Tokens are those of whole prompts, on one scale. */
export interface PlannerFacts {
  /** Tokens of the next prompt as it stands. */
  readonly tokens: number;
  /** Tokens of the prompt right after a compaction: what must stay, what is kept, and the summary. */
  readonly tokensAfter: number;
  /** Tokens at the beginning of the prompt that a compaction leaves as they are, so that they stay in the cache. */
  readonly stableTokens: number;
  /** Tokens of the next prompt that were in the cache after the last call. */
  readonly cachedTokens: number;
  /** Seconds since the last call; undefined where nobody knows, which counts as none. */
  readonly idleSeconds?: number | undefined;
  /** Seconds that the cache lives after a call. @default for good */
  readonly cacheSeconds?: number | undefined;
  /** Tokens that a step adds. */
  readonly growth: number;
  /** Steps that are still to come after this one, as far as one can tell. */
  readonly remainingSteps: number;
  /** Tokens from which a compaction is due in any case. */
  readonly triggerTokens: number;
  /** The call that writes the summary; undefined where no model writes it. */
  readonly summary?: SummaryUsage | undefined;
  /** Tokens that the agent reads once more because they were folded. @default 1,200 */
  readonly rereadTokens?: number | undefined;
  readonly prices: Prices;
  /** Prices of the summary model. @default `prices` */
  readonly summaryPrices?: Prices | undefined;
}

/** Tokens of the call that writes a summary. */
export interface SummaryUsage {
  readonly inputTokens: number;
  /** Tokens of its prompt that are in the cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
}
