import type { Prices } from "./prices.js";

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
