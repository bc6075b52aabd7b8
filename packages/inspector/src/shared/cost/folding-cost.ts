import type { Prices } from "@palimpsest/context";
import type { ModelUsage, StepRow } from "../../view.js";
import { costOf } from "./cost-of.js";

/** The cost of the folds of one step. */
export interface FoldingCost {
  /** The model whose prompt was folded: the one that is called next. */
  readonly model: string;
  /** Tokens after the first message that changed: the next call writes them to the cache again. */
  readonly rewritten: number;
  /** Calls for summaries, one for each fold that has some. */
  readonly summaries: readonly ModelUsage[];
}

/** Returns the prices of a model; undefined if they are unknown. */
export type PricesOf = (model: string) => Prices | undefined;

/** Returns what the folds of a step cost; undefined for a step without folds. Pure. */
export function foldingCost(rows: readonly StepRow[], index: number): FoldingCost | undefined {
  const row = rows[index];
  if (row === undefined || row.folds.length === 0) return undefined;
  const tokens = row.tokens.reduce((sum, part) => sum + part, 0);
  return {
    model: modelFrom(rows, index),
    // Folds at the end of a prompt change nothing that was sent before.
    rewritten: row.isEpoch ? Math.max(0, tokens - row.unchangedTokens) : 0,
    summaries: row.folds.flatMap(({ usage }) => usage ?? []),
  };
}

/** Returns the model that is called next, or was called last; "unnamed" if none reported a call. */
function modelFrom(rows: readonly StepRow[], index: number): string {
  let at = index;
  while (at < rows.length && modelOf(rows[at]) === undefined) at++;
  if (at === rows.length) at = rows.findLastIndex((row) => modelOf(row) !== undefined);
  return modelOf(rows[at]) ?? "unnamed";
}

function modelOf(row: StepRow | undefined): string | undefined {
  return row?.calls.find(({ reported }) => reported !== null)?.reported?.model;
}

/** Returns the price of folds, in the currency of the prices; undefined if a model with tokens has no prices. Pure. */
export function priceOfFolding(
  { model, rewritten, summaries }: FoldingCost,
  pricesOf: PricesOf,
): number | undefined {
  const written = { model, calls: 0, input: rewritten, cached: 0, cacheWrites: rewritten, output: 0 };
  // Without prices the cost is unknown, even if nothing was written.
  let sum = pricesOf(model) && 0;
  for (const usage of [written, ...summaries]) {
    if (usage.input + usage.output === 0) continue;
    const prices = pricesOf(usage.model);
    if (prices === undefined) return undefined;
    sum = (sum ?? 0) + costOf(usage, prices);
  }
  return sum;
}
