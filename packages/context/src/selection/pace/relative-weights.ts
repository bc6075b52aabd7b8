/** Returns `M * w_i`, whose mean is 1 (PACE, 3.2 relative weight). Pure. */
export function relativeWeights(weights: readonly number[]): readonly number[] {
  return weights.map((weight) => weights.length * weight);
}
