import type { Comparison } from "../suite.js";

export type Standing = "ahead" | "level" | "behind";

/** The standing of Palimpsest in one measure, against the best of the others. */
export interface Verdict extends Comparison {
  readonly standing: Standing;
  readonly best: { readonly name: string; readonly value: number };
  /** How far Palimpsest is ahead, in the unit of the measure; negative where it is behind. */
  readonly lead: number;
}

/**
 * Returns the standing of Palimpsest against the best rival: level within the margin. Pure.
 *
 * @throws Error for a comparison without a rival, or with NaN.
 */
export function verdictOf(comparison: Comparison): Verdict {
  const { better, margin, measure, ours, rivals } = comparison;
  const sign = better === "higher" ? 1 : -1;
  const [best] = rivals.toSorted((a, b) => sign * (b.value - a.value));
  if (best === undefined) throw new Error(`"${measure}" is compared with nobody`);
  const lead = sign * (ours - best.value);
  if (Number.isNaN(lead))
    throw new Error(`"${measure}" has a value that is no number: ${ours}, ${best.value}`);
  const standing = Math.abs(lead) <= margin ? "level" : lead > 0 ? "ahead" : "behind";
  return { ...comparison, best, standing, lead };
}
