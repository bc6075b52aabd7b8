import type { StepRow } from "../../view.js";

/** The values of all rows that the chart reads, in columns: a frame is too short to read every row of a long thread. */
export interface ChartColumns {
  /** Tokens of the prompt at each stop. */
  readonly prompts: Float64Array;
  /** Positions of the rows that folded, and of those at which something failed, in ascending order. */
  readonly folds: readonly number[];
  readonly faults: readonly number[];
}

/** Reads the columns of all rows. `stops` are the positions that the chart draws. Pure. */
export function chartColumns(rows: readonly StepRow[], stops: readonly number[]): ChartColumns {
  const prompts = new Float64Array(stops.length);
  for (const [at, stop] of stops.entries()) prompts[at] = promptTokens(rows[stop]);
  const [folds, faults]: [number[], number[]] = [[], []];
  for (const [index, row] of rows.entries()) {
    if (row.folds.length > 0) folds.push(index);
    if (row.faults.length > 0) faults.push(index);
  }
  return { prompts, folds, faults };
}

/** Returns the tokens by part that a row shows: of its last prompt, or of its messages if it has none. Pure. */
export function partsOf(row: StepRow | undefined): readonly number[] {
  return row?.calls.at(-1)?.tokens ?? row?.tokens ?? [];
}

/** Returns the tokens of the whole prompt. Pure. */
export function promptTokens(row: StepRow | undefined): number {
  let sum = 0;
  for (const part of partsOf(row)) sum += part;
  return sum;
}

/**
 * Returns at most `most` positions between two, both inclusive: from each group of neighbours the one with the largest prompt,
 * so that no peak is lost. Pure.
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
