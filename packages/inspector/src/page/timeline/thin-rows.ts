import type { StepRow } from "../../view.js";

/**
 * Returns the positions of at most `most` rows between two positions, both inclusive: of each group of neighbours the one with the
 * largest prompt, so that no peak is lost. Pure.
 */
export function thinRows(
  rows: readonly StepRow[],
  [from, to]: readonly [number, number],
  most: number,
): number[] {
  const size = Math.max(1, Math.ceil((to - from + 1) / most));
  const chosen: number[] = [];
  for (let start = from; start <= to; start += size) {
    let [best, largest] = [start, -1];
    for (let index = start; index < Math.min(start + size, to + 1); index++) {
      const tokens = promptTokens(rows[index]);
      if (tokens > largest) [best, largest] = [index, tokens];
    }
    chosen.push(best);
  }
  return chosen;
}

/** Returns the tokens of the whole prompt. Pure. */
export function promptTokens(row: StepRow | undefined): number {
  let sum = 0;
  for (const tokens of row?.tokens ?? []) sum += tokens;
  return sum;
}
