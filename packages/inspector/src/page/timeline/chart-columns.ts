import type { StepRow } from "../../view.js";

/** The values of all rows that the chart reads, in columns: a frame is too short to read every row of a long thread. */
export interface ChartColumns {
  /** Tokens of the prompt of each row. */
  readonly prompts: Float64Array;
  /** Positions of the rows that folded, in ascending order. */
  readonly folds: readonly number[];
}

/** Reads the columns of all rows. Pure. */
export function chartColumns(rows: readonly StepRow[]): ChartColumns {
  const prompts = new Float64Array(rows.length);
  const folds: number[] = [];
  for (const [index, row] of rows.entries()) {
    prompts[index] = promptTokens(row);
    if (row.folds.length > 0) folds.push(index);
  }
  return { prompts, folds };
}

/** Returns the tokens of the whole prompt. Pure. */
export function promptTokens({ tokens }: StepRow): number {
  let sum = 0;
  for (const part of tokens) sum += part;
  return sum;
}

/**
 * Returns the positions of at most `most` rows between two positions, both inclusive: from each group of neighbours the one
 * with the largest prompt, so that no peak is lost. Pure.
 */
export function thinRows(
  prompts: Float64Array,
  [from, to]: readonly [number, number],
  most: number,
): number[] {
  const size = Math.max(1, Math.ceil((to - from + 1) / most));
  const chosen: number[] = [];
  for (let start = from; start <= to; start += size) {
    let best = start;
    const end = Math.min(start + size, to + 1);
    for (let index = start + 1; index < end; index++)
      if ((prompts[index] ?? 0) > (prompts[best] ?? 0)) best = index;
    chosen.push(best);
  }
  return chosen;
}
