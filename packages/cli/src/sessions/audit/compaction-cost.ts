import { HumanMessage, type BaseMessage, type UsageMetadata } from "@langchain/core/messages";
import { estimateTokens, type Prices } from "@palimpsest/context";
import type { Rework } from "./rework.js";

/** What a compaction cost and saved, in tokens. */
export interface CompactionCost {
  /** The model that went on after it. */
  readonly model: string | undefined;
  /** Tokens of the prompt before, as reported or else estimated, and of the prompt of the next call. */
  readonly before: number;
  readonly after: number;
  readonly isReported: boolean;
  /** Tokens of the summary that was generated. */
  readonly summary: number;
  /** Tokens of the next prompt that the cache did not hold. */
  readonly rewritten: number;
  /** Tokens of results that were fetched again. */
  readonly rework: number;
  /** Calls of the model that followed, up to the next compaction. */
  readonly calls: number;
}

interface CostInput {
  readonly tokensBefore: number;
  readonly isReported: boolean;
  readonly contextAfter: readonly BaseMessage[];
  readonly summary: string;
  readonly later: readonly BaseMessage[];
  readonly rework: readonly Rework[];
}

type Answer = BaseMessage & { readonly usage_metadata?: UsageMetadata };

export function compactionCost({
  tokensBefore,
  isReported,
  contextAfter,
  summary,
  later,
  rework,
}: CostInput): CompactionCost {
  const answers = later.filter((message) => message.getType() === "ai") as readonly Answer[];
  const next = answers.find((answer) => (answer.usage_metadata?.input_tokens ?? 0) > 0);
  const after = next?.usage_metadata?.input_tokens ?? estimateTokens(contextAfter);
  const cached = next?.usage_metadata?.input_token_details?.cache_read ?? 0;
  const model: unknown = next?.response_metadata["model_name"];
  return {
    model: typeof model === "string" ? model : undefined,
    before: tokensBefore,
    after,
    isReported,
    summary: estimateTokens([new HumanMessage(summary)]),
    rewritten: Math.max(0, after - cached),
    rework: rework.reduce((sum, { tokens }) => sum + tokens, 0),
    calls: answers.length,
  };
}

/**
 * Returns what a compaction cost at prices per million tokens: the call for the summary, whose prompt was in the cache, what
 * was written to the cache again, and what was fetched again. Pure.
 */
export function priceOf({ before, summary, rewritten, rework }: CompactionCost, prices: Prices): number {
  const { input, cachedInput, cacheWrite = input, output } = prices;
  return (before * cachedInput + summary * output + rewritten * cacheWrite + rework * input) / 1_000_000;
}

/** Returns what the shorter prompts of later calls saved at these prices. Pure. */
export function savingOf({ before, after, calls }: CompactionCost, { cachedInput }: Prices): number {
  return (Math.max(0, before - after) * calls * cachedInput) / 1_000_000;
}
