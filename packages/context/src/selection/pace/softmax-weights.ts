/** Returns `w_i = exp(s_i / tau) / sum_j exp(s_j / tau)` (PACE, 3.2 weight). Pure; the largest is taken out against overflow. */
export function softmaxWeights(similarities: readonly number[], temperature: number): readonly number[] {
  const most = similarities.reduce((best, value) => Math.max(best, value), -Infinity);
  const powers = similarities.map((value) => Math.exp((value - most) / temperature));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}
