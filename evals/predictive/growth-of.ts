import type { PaceLevel } from "@palimpsest/context/selection";
import type { Step } from "../data/steps.js";
import { charsOverFour } from "../data/text-of.js";
import { playPolicy } from "../metrics/play-policy.js";
import { pace } from "../policies/pace.js";

/** How PACE grows over the runs of a set. */
export interface Growth {
  readonly set: string;
  readonly pressureGain: number;
  /** Share of past steps at each level, over all steps. */
  readonly shares: Readonly<Record<PaceLevel, number>>;
  /** Mean tokens of the context at a step, over the runs that are still going. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const every = 20;

/** Returns the levels and the size of contexts by PACE. */
export async function growthOf(
  set: string,
  runs: readonly (readonly Step[])[],
  { pressureGain, budget }: { readonly pressureGain: number; readonly budget: number },
): Promise<Growth> {
  const counts: Record<PaceLevel, number> = { full: 0, detailed: 0, brief: 0, placeholder: 0 };
  const sizes = new Map<number, number[]>();
  for (const steps of runs) {
    const policy = pace({
      pressureGain,
      onLevels: (levels) => {
        for (const level of levels) counts[level]++;
      },
    });
    let at = 0;
    for await (const { context } of playPolicy(steps, policy, { budget })) {
      at++;
      if (at % every === 0) sizes.set(at, [...(sizes.get(at) ?? []), charsOverFour(context)]);
    }
  }
  const total = Math.max(
    1,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
  );
  const shares = Object.fromEntries(Object.entries(counts).map(([level, count]) => [level, count / total]));
  const points = [...sizes].map(([x, all]) => ({
    x,
    y: all.reduce((sum, one) => sum + one, 0) / all.length,
  }));
  return { set, pressureGain, shares: shares as Record<PaceLevel, number>, points };
}
