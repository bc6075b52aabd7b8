import type { Comparison } from "../suite.js";

export interface RatioOptions {
  readonly measure: string;
  readonly unit: Comparison["unit"];
  readonly ours: number;
  readonly rivals: Comparison["rivals"];
}

/** Returns a comparison of times or sizes: less is better, and within a quarter is level. Pure. */
export function lessIsBetter({ measure, unit, ours, rivals }: RatioOptions): Comparison {
  const least = Math.min(ours, ...rivals.map(({ value }) => value));
  return { measure, unit, better: "lower", ours, rivals, margin: 0.25 * least };
}

/** Returns another value divided by ours, to two digits. Pure. */
export function timesOurs(value: number, ours: number): string {
  return ours === 0 ? "–" : `${Number((value / ours).toPrecision(2))}×`;
}
