import { ContextError } from "../context-error.js";
import { defaults, requireNotNegative } from "../options.js";

/** Costs and savings of one compaction; money is in the currency of the prices. */
export interface CompactionBill {
  /** Tokens of the shorter prompt that are not in the cache. */
  readonly rewrittenTokens: number;
  /** Reduction in tokens of every later prompt. */
  readonly savedTokens: number;
  /** Cost of the summary call. */
  readonly summaryCost: number;
  /** Net cost of the compaction: rewritten prefix, summary call and rereads; 0 when the shorter prompt pays for them at once. */
  readonly cost: number;
  /** Saving of every later step. */
  readonly savingPerStep: number;
}

/** Returns the costs and savings of a compaction. Pure. */
export function compactionBill(facts: PlannerFacts): CompactionBill {
  const { tokens, tokensAfter, prices, rereadTokens = defaults.rereadTokens } = facts;
  const cached = isCacheAlive(facts) ? Math.min(facts.cachedTokens, tokens) : 0;
  const stable = Math.min(facts.stableTokens, cached, tokensAfter);
  const summaryCost = summaryPrice(facts);
  const rereadCost = promptPrice(rereadTokens, 0, prices);
  const extra = promptPrice(tokensAfter, stable, prices) - promptPrice(tokens, cached, prices);
  const savedTokens = tokens - tokensAfter;
  return {
    rewrittenTokens: tokensAfter - stable,
    savedTokens,
    summaryCost,
    cost: Math.max(0, extra + rereadCost + summaryCost),
    savingPerStep: (prices.cachedInput * savedTokens) / tokensPriced,
  };
}

/** True until the cache of the last call expires. Pure. */
export function isCacheAlive({ idleSeconds = 0, cacheSeconds = Infinity }: PlannerFacts): boolean {
  return idleSeconds < cacheSeconds;
}

function summaryPrice(facts: PlannerFacts): number {
  const { summary, prices, summaryPrices = prices } = facts;
  if (summary === undefined) return 0;
  const cached = isCacheAlive(facts) ? Math.min(summary.cachedTokens, summary.inputTokens) : 0;
  // A summary prompt is never sent again, so the call pays for no cache write.
  const { input, cachedInput, output } = summaryPrices;
  const spent = cachedInput * cached + input * (summary.inputTokens - cached) + output * summary.outputTokens;
  return spent / tokensPriced;
}

/** Prices of a provider per million tokens, in any currency. */
export interface Prices {
  /** Prompt tokens that are neither read from the cache nor written to it. */
  readonly input: number;
  /** Prompt tokens that are read from the cache; at most `input`. Equal to `input` for a provider without a cache. */
  readonly cachedInput: number;
  /** Prompt tokens that are written to the cache. @default `input` */
  readonly cacheWrite?: number;
  /** Tokens that the model generates. */
  readonly output: number;
}

/**
 * Prices relative to input, for providers with a prompt cache whose own prices are not given: a token read from the cache at a
 * tenth, one written to it at 1.25, one generated at 5. A bill by them is in prices of a million input tokens.
 */
export const typicalPrices: Prices = { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 };

/**
 * Validates prices: none is negative, and cached input costs no more than other input.
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
      `${name}.cachedInput is ${cachedInput}: a cached token must not cost more than another one (${Math.min(input, cacheWrite)})`,
    );
  }
}

/** Returns the cost of a prompt of `tokens` tokens: reads `cached` of them from the cache and writes the rest to it. Pure. */
export function promptPrice(tokens: number, cached: number, prices: Prices): number {
  const { input, cachedInput, cacheWrite = input } = prices;
  return (cachedInput * cached + cacheWrite * (tokens - cached)) / tokensPriced;
}

/** Number of tokens that a price covers. */
export const tokensPriced = 1_000_000;

/** Input of {@link whenToCompact}. Token counts include the whole prompt and share one unit. */
export interface PlannerFacts {
  /** Tokens of the next prompt without a compaction. */
  readonly tokens: number;
  /** Tokens of the prompt right after a compaction: fixed messages, kept messages and the summary. */
  readonly tokensAfter: number;
  /** Tokens of the prompt prefix that a compaction leaves unchanged, and therefore in the cache. */
  readonly stableTokens: number;
  /** Tokens of the next prompt that were in the cache after the last call. */
  readonly cachedTokens: number;
  /** Seconds since the last call; undefined counts as 0. */
  readonly idleSeconds?: number | undefined;
  /** Lifetime of the cache after a call, in seconds. @default Infinity */
  readonly cacheSeconds?: number | undefined;
  /** Tokens that a step adds. */
  readonly growth: number;
  /** Estimated number of steps after this one. */
  readonly remainingSteps: number;
  /** Tokens at which a compaction is due regardless of cost. */
  readonly triggerTokens: number;
  /** Usage of the summary call; undefined when no model writes the summary. */
  readonly summary?: SummaryUsage | undefined;
  /** Folded tokens that the agent reads again. @default 1,200 */
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
