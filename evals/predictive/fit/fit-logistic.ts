import { solveLinear } from "./solve-linear.js";
import type { Examples } from "./collect-examples.js";

const mostRounds = 25;
/** Strength of the ridge penalty; the bias is not penalized. */
const ridge = 3;
const mostStep = 2;

/** Returns the weights of the logistic model that explains the examples best: Newton's method with a ridge. Pure. */
export function fitLogistic(sets: readonly Examples[], columns: number): readonly number[] {
  const weights = Float64Array.from({ length: columns }, (_, at) => (at === 0 ? -6 : 0));
  for (let round = 0; round < mostRounds; round++) {
    const { gradient, hessian } = derivatives(sets, weights);
    const whole = solveLinear(hessian, gradient);
    // Shortened as a whole: with each weight cut alone it points elsewhere, and may never settle.
    const share = Math.min(1, mostStep / Math.max(...whole.map(Math.abs)));
    const step = whole.map((value) => share * value);
    step.forEach((value, at) => (weights[at] = (weights[at] ?? 0) + value));
    if (Math.max(...step.map(Math.abs)) < 1e-5) break;
  }
  return [...weights];
}

function derivatives(sets: readonly Examples[], weights: Float64Array) {
  const columns = weights.length;
  const sums = { gradient: new Float64Array(columns), hessian: new Float64Array(columns * columns) };
  for (const examples of sets) addExamples(sums, examples, weights);
  const gradient = weights.map((weight, at) => (sums.gradient[at] ?? 0) - (at === 0 ? 0 : ridge * weight));
  const half = (row: number, column: number) => sums.hessian[row * columns + column] ?? 0;
  const hessian = [...weights].map((_, row) =>
    [...weights].map(
      (__, column) => half(Math.max(row, column), Math.min(row, column)) + (row === column ? ridge : 0),
    ),
  );
  return { gradient: [...gradient], hessian };
}

interface Sums {
  readonly gradient: Float64Array;
  /** Row after row; only what is on the diagonal or left of it. */
  readonly hessian: Float64Array;
}

function addExamples(
  { gradient, hessian }: Sums,
  { features, used, weights: counts, count }: Examples,
  weights: Float64Array,
): void {
  const columns = weights.length;
  for (let example = 0; example < count; example++) {
    const start = example * columns;
    let sum = 0;
    for (let at = 0; at < columns; at++) sum += (features[start + at] ?? 0) * (weights[at] ?? 0);
    const chance = 1 / (1 + Math.exp(-sum));
    const times = counts[example] ?? 0;
    const error = times * ((used[example] ?? 0) - chance);
    const spread = times * Math.max(chance * (1 - chance), 1e-9);
    for (let row = 0; row < columns; row++) {
      const value = features[start + row] ?? 0;
      if (value === 0) continue;
      gradient[row] = (gradient[row] ?? 0) + error * value;
      for (let column = 0; column <= row; column++) {
        const at = row * columns + column;
        hessian[at] = (hessian[at] ?? 0) + spread * value * (features[start + column] ?? 0);
      }
    }
  }
}
