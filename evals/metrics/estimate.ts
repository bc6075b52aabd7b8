import { randomFrom } from "../data/random-from.js";
import { pick } from "../data/pick.js";

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

/** A value and what it is divided by. */
export interface Part {
  readonly value: number;
  readonly over: number;
}

/**
 * Returns the mean over all values of all runs, with a bootstrap interval: runs are drawn again with replacement, and
 * within each its blocks of about 10 neighbouring values. Undefined without a value.
 */
export function estimateOf(runs: readonly (readonly number[])[]): Estimate | undefined {
  return ratioOf(runs.map((values) => values.map((value) => ({ value, over: 1 }))));
}

/** Returns the sum of all values divided by the sum of what each is over, with the same interval. Undefined without a value. */
export function ratioOf(runs: readonly (readonly Part[])[]): Estimate | undefined {
  const blocks = runs.filter((parts) => parts.length > 0).map(blocksOf);
  if (blocks.length === 0) return undefined;
  const random = randomFrom(blocks.length);
  const ratios = Array.from({ length: rounds }, () =>
    quotientOf(blocks.map(() => pick(blocks, random)).flatMap((run) => run.map(() => pick(run, random)))),
  );
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(rounds - 1, Math.floor(share * rounds))] ?? 0;
  return {
    mean: quotientOf(blocks.flat()),
    low: at(0.025),
    high: at(0.975),
    count: runs.reduce((sum, { length }) => sum + length, 0),
  };
}

function blocksOf(parts: readonly Part[]): readonly Part[] {
  const blocks = Math.max(1, Math.round(parts.length / blockLength));
  const start = (at: number) => Math.round((at * parts.length) / blocks);
  return Array.from({ length: blocks }, (_, at) => sumOf(parts.slice(start(at), start(at + 1))));
}

function sumOf(parts: readonly Part[]): Part {
  let [value, over] = [0, 0];
  for (const part of parts) {
    value += part.value;
    over += part.over;
  }
  return { value, over };
}

function quotientOf(parts: readonly Part[]): number {
  const { value, over } = sumOf(parts);
  return value / over;
}
