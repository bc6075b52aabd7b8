import { randomFrom } from "../data/random-from.js";

/** A mean with the interval in which 95 of 100 resampled means lie. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** How many values it is the mean of. */
  readonly count: number;
}

const rounds = 400;
/** About how many values of one run are drawn together, for neighbouring steps are alike. */
const blockLength = 10;

interface Block {
  readonly sum: number;
  readonly count: number;
}

/**
 * Returns the mean over all values of all runs, with a bootstrap interval: runs are drawn again with replacement, and
 * within each its blocks of about 10 neighbouring values. Undefined without a value.
 */
export function estimateOf(runs: readonly (readonly number[])[]): Estimate | undefined {
  const blocks = runs.filter((values) => values.length > 0).map(blocksOf);
  if (blocks.length === 0) return undefined;
  const random = randomFrom(blocks.length);
  const draw = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const means = Array.from({ length: rounds }, () =>
    meanOf(blocks.map(() => draw(blocks)).flatMap((run) => run.map(() => draw(run)))),
  );
  const sorted = means.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(rounds - 1, Math.floor(share * rounds))] ?? 0;
  const all = blocks.flat();
  return {
    mean: meanOf(all),
    low: at(0.025),
    high: at(0.975),
    count: all.reduce((sum, { count }) => sum + count, 0),
  };
}

function blocksOf(values: readonly number[]): readonly Block[] {
  const blocks = Math.max(1, Math.round(values.length / blockLength));
  const start = (at: number) => Math.round((at * values.length) / blocks);
  return Array.from({ length: blocks }, (_, at) => {
    const block = values.slice(start(at), start(at + 1));
    return { sum: block.reduce((sum, value) => sum + value, 0), count: block.length };
  });
}

function meanOf(blocks: readonly Block[]): number {
  let sum = 0;
  let count = 0;
  for (const block of blocks) {
    sum += block.sum;
    count += block.count;
  }
  return sum / count;
}
