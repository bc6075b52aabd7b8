import type { Anchor } from "./usage-anchors.js";

/** Bounds of the token ratio: a larger deviation is overhead. */
export const minRatio = 0.5;
export const maxRatio = 2;
/** Minimum tokens of messages for a ratio: below it, the ratio is mostly noise. */
export const minRatioTokens = 1_000;
/** Tokens by which one call may pass the bounds: beyond, it grew by something that the counter does not see. */
export const jumpTokens = 2_000;
/** Share of the usual ratio below which the ratio of a call is none of growth. */
const leastOfUsual = 0.5;

/**
 * Returns the provider's tokens for each token of the counter by which the prompts grew from call to call; undefined if they grew
 * too little. Pure.
 *
 * A host removes messages between two calls, and nothing in the context shows it: the prompt grows by less than was added, or
 * becomes smaller. The ratio of such a call would hide a prompt over the window. So a call far below the usual ratio is left out,
 * and a ratio below 1 is not below the median of the calls.
 */
export function ratioOfGrowth(growth: readonly Anchor[]): number | undefined {
  const grown = usualSteps(growth);
  const counted = sumOf(grown, countOf);
  if (counted < minRatioTokens) return undefined;
  return within(minRatio, maxRatio, Math.max(leastRatio(growth), sumOf(grown, boundedInput) / counted));
}

/** Returns the ratio that nothing is expected to be below: the median of the calls, 1 at most. Pure. */
export function leastRatio(growth: readonly Anchor[]): number {
  return Math.min(1, medianRatio(growth, one));
}

/** Returns the calls that grew as usual, with what each adds limited as for the ratio. Pure. */
export function usualGrowth<Step extends Anchor>(growth: readonly Step[]): readonly Step[] {
  return usualSteps(growth).map((step) => ({ ...step, input: boundedInput(step) }));
}

function usualSteps<Step extends Anchor>(growth: readonly Step[]): readonly Step[] {
  const usual = usualRatio(growth);
  return growth.filter((step) => isUsualGrowth(step, usual));
}

/** Returns the ratio of the median call, each call by its size. Pure. */
export function usualRatio(growth: readonly Anchor[]): number {
  return Math.max(0, medianRatio(growth, countOf));
}

/** False for a call that grew by far less than was added. */
export function isUsualGrowth({ input, counted }: Anchor, usual: number): boolean {
  return input >= leastOfUsual * usual * counted;
}

const countOf = ({ counted }: Anchor) => counted;
const one = () => 1;

/**
 * Limits what one call adds, because a jump says nothing about the ratio. Causes are reasoning that is shown only as a summary,
 * and files that the host attaches.
 */
function boundedInput({ input, counted }: Anchor): number {
  return Math.min(input, maxRatio * counted + jumpTokens);
}

/** Returns the weighted median of the ratios of single calls, the larger one of two; 0 without calls. */
function medianRatio(growth: readonly Anchor[], weightOf: (step: Anchor) => number): number {
  const steps = growth.map((step) => ({
    ratio: step.input / Math.max(1, step.counted),
    weight: weightOf(step),
  }));
  let above = sumOf(steps, ({ weight }) => weight) / 2;
  for (const { ratio, weight } of steps.toSorted((one, other) => other.ratio - one.ratio)) {
    above -= weight;
    if (above <= 0) return ratio;
  }
  return 0;
}

function sumOf<Value>(values: readonly Value[], sizeOf: (value: Value) => number): number {
  return values.reduce((sum, value) => sum + sizeOf(value), 0);
}

export function within(least: number, most: number, value: number): number {
  return Math.min(most, Math.max(least, value));
}
