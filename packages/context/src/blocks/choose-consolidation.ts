/** A stretch of steps. */
export interface Stretch {
  readonly startStep: number;
  readonly endStep: number;
}

/** Blocks in a row, by their index; both included. */
export interface Run {
  readonly from: number;
  readonly to: number;
}

/** Blocks that one consolidation merges at most. */
const most = 4;

/**
 * Returns how many blocks may stand for so many steps: the newest ones, and three of each size above.
 *
 * Sizes go up by a factor of four, so this grows with the logarithm of the steps. Pure.
 */
export function blocksFor(steps: number, recentBlocks: number): number {
  const sizes = 1 + Math.floor(Math.log(Math.max(1, steps)) / Math.log(most));
  return recentBlocks + 3 * sizes + 1;
}

/**
 * Returns the blocks to merge next, as a binary counter carries: blocks of about the same size, the smallest first, of
 * equal ones the oldest. Undefined for less than two blocks. Pure.
 *
 * What counts is how many times as many steps the result has as the largest block in it: a text is written anew only
 * when its block grows by much, which can happen only log(steps) times.
 */
export function chooseConsolidation(blocks: readonly Stretch[]): Run | undefined {
  let best: (Run & { readonly growth: number; readonly total: number }) | undefined;
  for (let from = 0; from < blocks.length - 1; from++) {
    let total = 0;
    let largest = 0;
    for (let to = from; to < Math.min(blocks.length, from + most); to++) {
      const { startStep, endStep } = blocks[to] as Stretch;
      total += endStep - startStep + 1;
      largest = Math.max(largest, endStep - startStep + 1);
      const growth = total / largest;
      if (to === from) continue;
      const better =
        best === undefined || growth > best.growth || (growth === best.growth && total < best.total);
      if (better) best = { from, to, growth, total };
    }
  }
  return best === undefined ? undefined : { from: best.from, to: best.to };
}
