import type { MeasuredCompaction } from "./measure-compaction.js";
import {
  discriminate,
  fitWeights,
  fixedWeights,
  scoredFiles,
  scoreWith,
  type Case,
  type Discrimination,
  type Score,
  type Scored,
} from "./predict-rework.js";

/** How well a score foretells rework in one half of a set. */
export interface Prediction {
  readonly set: string;
  readonly half: "first" | "second";
  readonly predicts: "file read again" | "compaction with much rework";
  readonly by: string;
  readonly found: Discrimination | undefined;
}

export const ourScore = "what is missing, fixed weights";

/** Returns the predictions of a set: the fixed weights on both halves, what is fitted on the first on the second, and controls. */
export function predictionsOf(set: string, measured: readonly MeasuredCompaction[]): readonly Prediction[] {
  const halves = { first: of("first"), second: of("second") };
  const refitted = halves.first.length === 0 ? undefined : scoreWith(fitWeights(halves.first));
  const ways: readonly (readonly [string, Score])[] = [
    [ourScore, scoreWith(fixedWeights)],
    ...(refitted === undefined ? [] : [["refitted on the first half", refitted] as const]),
    ["control: tokens missing alone", ({ tokens }) => tokens],
    ["control: times named alone", ({ names }) => names],
    ["control: newest first alone", ({ age }) => -age],
  ];
  function of(half: "first" | "second"): readonly Case[] {
    return measured.filter((one) => one.half === half).flatMap(({ cases }) => cases);
  }
  return (["first", "second"] as const).flatMap((half) => [
    ...ways.map(([by, score]) => ({
      set,
      half,
      predicts: "file read again" as const,
      by,
      found: discriminate(scoredFiles(halves[half], score)),
    })),
    {
      set,
      half,
      predicts: "compaction with much rework" as const,
      by: ourScore,
      found: discriminate(scoredCompactions(measured, half)),
    },
  ]);
}

/** Compactions by the number of files that are expected to be read again; much is more tokens than the median of the first half. */
function scoredCompactions(
  measured: readonly MeasuredCompaction[],
  half: "first" | "second",
): readonly Scored[] {
  const score = scoreWith(fixedWeights);
  const first = measured.filter((one) => one.half === "first").map(({ rework }) => rework.tokens);
  const median = first.toSorted((one, other) => one - other)[Math.floor(first.length / 2)] ?? 0;
  return measured
    .filter((one) => one.half === half)
    .map(({ cases, rework, session }) => ({
      score: cases.reduce((sum, one) => sum + 1 / (1 + Math.exp(-score(one))), 0),
      came: rework.tokens > median,
      session,
      group: "all",
    }));
}
