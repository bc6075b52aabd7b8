import { randomFrom } from "../data/random-from.js";
import { fitLogistic } from "../predictive/fit/fit-logistic.js";
import type { MissingFile } from "./missing-files.js";
import { groupsOf } from "../metrics/groups-of.js";
import { quantile } from "../metrics/quantile.js";

/** A file that was missing after a compaction, and whether the agent read it again. */
export interface Case extends MissingFile {
  readonly half: "first" | "second";
  readonly session: string;
  /** Names the compaction. */
  readonly compaction: string;
  readonly isReadAgain: boolean;
}

/** The area under the curve of a score, with what it has to be compared with. `came`: cases that the score has to find. */
export interface Discrimination {
  readonly cases: number;
  readonly came: number;
  readonly auc: number;
  /** 95 of 100 values when whole sessions are drawn again lie between these. */
  readonly low: number;
  readonly high: number;
  /** 95 of 100 values lie below this when what came is dealt anew within each group. */
  readonly permuted: number;
}

/**
 * Weights of the bias, the tokens that are missing, the times the file is named, and the calls since it was touched, each as a
 * logarithm. Fitted on 12 recorded sessions of Claude Code, which are the first half of the set that docs name `claude-code-raw`.
 */
export const fixedWeights = [-3.42, 0.39, 1, -0.36];

const rounds = 1_000;

export type Score = (file: MissingFile) => number;

/** Returns the features of a file: what was missing at the compaction, and nothing that came later. */
function featuresOf({ tokens, names, age }: MissingFile): readonly number[] {
  return [1, Math.log1p(tokens), Math.log1p(names), Math.log1p(age)];
}

export function scoreWith(weights: readonly number[]): Score {
  return (file) => featuresOf(file).reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
}

/** Returns the weights that explain the cases best. */
export function fitWeights(cases: readonly Case[]): readonly number[] {
  const rows = cases.map(featuresOf);
  const examples = {
    features: Float64Array.from(rows.flat()),
    used: Uint8Array.from(cases, ({ isReadAgain }) => Number(isReadAgain)),
    weights: Float64Array.from(cases, () => 1),
    count: cases.length,
  };
  return fitLogistic([examples], 4);
}

/** A score, and whether what it predicts came. */
export interface Scored {
  readonly score: number;
  readonly came: boolean;
  readonly session: string;
  /** The control deals what came anew within a group. */
  readonly group: string;
}

/** Returns the share of pairs that a score orders right; undefined without a pair. Pure. */
export function aucOf(scored: readonly Pick<Scored, "score" | "came">[]): number | undefined {
  const came = scored.filter((one) => one.came);
  const others = scored.filter((one) => !one.came);
  if (came.length === 0 || others.length === 0) return undefined;
  let right = 0;
  for (const { score } of came)
    for (const other of others) right += score > other.score ? 1 : score === other.score ? 0.5 : 0;
  return right / (came.length * others.length);
}

/** Returns files with a score, to be dealt anew within each compaction. */
export function scoredFiles(cases: readonly Case[], score: Score): readonly Scored[] {
  return cases.map((one) => {
    const { session, compaction: group, isReadAgain: came } = one;
    return { score: score(one), came, session, group };
  });
}

/** Returns how well a score tells what comes; undefined where all or nothing does. */
export function discriminate(scored: readonly Scored[]): Discrimination | undefined {
  const auc = aucOf(scored);
  if (auc === undefined) return undefined;
  const random = randomFrom(scored.length);
  const sessions = groupsOf(scored, ({ session }) => session);
  const drawn = Array.from({ length: rounds }, () =>
    aucOf(sessions.flatMap(() => sessions[Math.floor(random() * sessions.length)]?.[1] ?? [])),
  ).filter((value) => value !== undefined);
  const groups = groupsOf(scored, ({ group }) => group);
  const dealt = Array.from({ length: rounds }, () =>
    aucOf(groups.flatMap(([, group]) => dealtAnew(group, random))),
  ).filter((value) => value !== undefined);
  return {
    cases: scored.length,
    came: scored.filter((one) => one.came).length,
    auc,
    low: quantile(drawn, 0.025),
    high: quantile(drawn, 0.975),
    permuted: quantile(dealt, 0.95),
  };
}

/** Shuffles what came (Fisher-Yates). */
function dealtAnew(
  group: readonly Scored[],
  random: () => number,
): readonly Pick<Scored, "score" | "came">[] {
  const came = group.map((one) => one.came);
  for (let at = came.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [came[at], came[other]] = [came[other] ?? false, came[at] ?? false];
  }
  return group.map(({ score }, at) => ({ score, came: came[at] ?? false }));
}
