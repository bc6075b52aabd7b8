import type { CallView, ModelUsage, StepRow } from "../../view.js";
import { foldingCost } from "./folding-cost.js";
import { sumByModel } from "./sum-by-model.js";

/** A call with its predicted bill. */
export interface PredictedCall {
  /** Position of its row. */
  readonly at: number;
  readonly call: CallView;
  readonly predicted: ModelUsage;
}

/**
 * Predicts the bill of each call. The prompt has the tokens that are counted here. The cache holds the beginning
 * that equals the prompt of the previous call; the rest is written to it. Assumes that the cache never expires. If no step
 * measured what is sent beside the messages, uses what the first call reported beyond them. A call that reported nothing has no
 * bill. Expects rows of `firstSeen`. Pure.
 */
export function predictedCalls(rows: readonly StepRow[]): readonly PredictedCall[] {
  const found: PredictedCall[] = [];
  // Tokens of the last prompt that no step has changed since.
  let kept = 0;
  let besideBare: number | undefined;
  for (const [at, { calls, unchangedTokens }] of rows.entries()) {
    kept = Math.min(kept, unchangedTokens);
    for (const call of calls) {
      const { prompt, reply: output, reported, isBare } = call;
      if (reported === null) continue;
      const beside = isBare ? (besideBare ??= Math.max(0, reported.input - prompt)) : 0;
      const input = prompt + beside;
      const cached = kept === 0 ? 0 : Math.min(kept + beside, input);
      const predicted = {
        model: reported.model,
        calls: 1,
        input,
        cached,
        cacheWrites: input - cached,
        output,
      };
      found.push({ at, call, predicted });
      kept = prompt;
    }
  }
  return found;
}

/** The predicted parts of a thread's bill, by model; the models reported the rest. */
export interface CountedBill {
  readonly predicted: readonly ModelUsage[];
  /** Calls that wrote summaries. */
  readonly summaries: readonly ModelUsage[];
  /** Tokens that the calls after folds wrote to the cache again, as input that is cache writes; `calls` counts the steps. */
  readonly rewritten: readonly ModelUsage[];
}

/** Counts the bill of the steps of a thread. Expects rows of `firstSeen`. Pure. */
export function countedBill(rows: readonly StepRow[]): CountedBill {
  const [summaries, rewritten]: [ModelUsage[], ModelUsage[]] = [[], []];
  for (const [index, { folds }] of rows.entries()) {
    const cost = foldingCost(rows, index);
    if (cost === undefined) continue;
    summaries.push(...folds.flatMap(({ usage }) => usage ?? []));
    const { model, rewritten: input } = cost;
    if (input > 0) rewritten.push({ model, calls: 1, input, cached: 0, cacheWrites: input, output: 0 });
  }
  return {
    predicted: sumByModel(predictedCalls(rows).map(({ predicted }) => predicted)),
    summaries: sumByModel(summaries),
    rewritten: sumByModel(rewritten),
  };
}
