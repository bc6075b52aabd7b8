import type { BaseMessage } from "@langchain/core/messages";
import type { Prices } from "@palimpsest/context";

/** With it the ladder also runs below the trigger, at the moments when that makes the bill smaller. */
export interface PlannerOptions {
  /** What the provider charges; there is no built-in guess. */
  readonly prices: Prices;
  /** Prices of `model`, where it is not the agent's own. @default `prices` */
  readonly summaryPrices?: Prices;
  /**
   * Seconds that the provider's prompt cache lives after a call. Once it has expired, a compaction costs next to nothing.
   * When the last call was is told by `response_metadata.created_at` of its message; where that is missing, the node
   * writes it to the state channel `compaction` at each step. @default for good
   */
  readonly cacheSeconds?: number;
  /** Steps that are still to come. @default as many as the thread has had */
  readonly remainingSteps?: number | ((messages: readonly BaseMessage[]) => number);
  /** Tokens that the agent reads once more for each compaction. @default 1,200 */
  readonly rereadTokens?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}
