import { solveLinear } from "./solve-linear.js";
import type { Examples } from "./collect-examples.js";

const mostRounds = 25;
/** Strength of the pull towards zero, which the bias is free of. */
const ridge = 3;
const mostStep = 2;

/** Returns the weights of the logistic model that explains the examples best: Newton's method with a ridge. Pure. */
export function fitLogistic(sets: readonly Examples[], columns: number): readonly number[] {
  const weights = Float64Array.from({ length: columns }, (_, at) => (at === 0 ? -6 : 0));
  for (let round = 0; round < mostRounds; round++) {
    const { gradient, hessian } = derivatives(sets, weights);
    const step = solveLinear(hessian, gradient).map((value) =>
      Math.max(-mostStep, Math.min(mostStep, value)),
    );
    step.forEach((value, at) => (weights[at] = (weights[at] ?? 0) + value));
    if (Math.max(...step.map(Math.abs)) < 1e-5) break;
  }
  return [...weights];
}

function derivatives(sets: readonly Examples[], weights: Float64Array) {
  const columns = weights.length;
  const gradient = Array.from({ length: columns }, (_, at) => (at === 0 ? 0 : -ridge * (weights[at] ?? 0)));
  const hessian = gradient.map((_, row) => gradient.map((__, column) => (row === column ? ridge : 0)));
  for (const { features, used, weights: counts, count } of sets) {
    for (let example = 0; example < count; example++) {
      const row = features.subarray(example * columns, (example + 1) * columns);
      const sum = row.reduce((total, value, at) => total + value * (weights[at] ?? 0), 0);
      const chance = 1 / (1 + Math.exp(-sum));
      const times = counts[example] ?? 0;
      const error = times * ((used[example] ?? 0) - chance);
      const spread = times * Math.max(chance * (1 - chance), 1e-9);
      addTo({ gradient, hessian }, row, { error, spread });
    }
  }
  return { gradient, hessian };
}

interface Sums {
  readonly gradient: number[];
  readonly hessian: number[][];
}

function addTo(
  { gradient, hessian }: Sums,
  row: Float64Array,
  { error, spread }: { error: number; spread: number },
): void {
  row.forEach((value, at) => {
    if (value === 0) return;
    gradient[at] = (gradient[at] ?? 0) + error * value;
    const line = hessian[at] ?? [];
    row.forEach((other, column) => (line[column] = (line[column] ?? 0) + spread * value * other));
  });
}
