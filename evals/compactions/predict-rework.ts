import { randomFrom } from "../data/random-from.js";
import { fitLogistic } from "../predictive/fit/fit-logistic.js";
import type { MissingFile } from "./missing-files.js";
import { groupsOf } from "../metrics/groups-of.js";
import { quantile } from "../metrics/quantile.js";
import { sumOf } from "../metrics/sum-of.js";
import { pick } from "../data/pick.js";

/** A file that was missing after a compaction, and whether the agent read it again. */
export interface Case extends MissingFile {
  readonly half: "first" | "second";
  readonly session: string;
  /** Names the compaction. */
  readonly compaction: string;
  readonly isReadAgain: boolean;
}

/** The area under the curve of a score, with what it has to be compared with. `came`: files that were read again. */
export interface Discrimination {
  readonly cases: number;
  readonly came: number;
  readonly auc: number;
  /** 95 of 100 values when whole sessions are drawn again lie between these. */
  readonly low: number;
  readonly high: number;
  /** 95 of 100 values lie below this when what came is dealt anew within each compaction. */
  readonly permuted: number;
}

/** How well a score foretells which files are read again, in one half of a set. */
export interface Prediction {
  readonly half: "first" | "second";
  readonly by: string;
  readonly found: Discrimination | undefined;
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

/** A case with its score. */
type Scored = Pick<Case, "session" | "compaction" | "isReadAgain"> & { readonly score: number };

/** Returns the share of pairs that a score orders right; undefined without a pair. Pure. */
function aucOf(scored: readonly Pick<Scored, "score" | "isReadAgain">[]): number | undefined {
  const came = scored.filter((one) => one.isReadAgain);
  const others = scored.filter((one) => !one.isReadAgain);
  if (came.length === 0 || others.length === 0) return undefined;
  const right = sumOf(came, ({ score }) => sumOf(others, (other) => rightOf(score, other.score)));
  return right / (came.length * others.length);
}

/** A tie is half right. */
function rightOf(came: number, other: number): number {
  return came === other ? 0.5 : Number(came > other);
}

/** Returns how well a score tells which files are read again; undefined where all or none are. */
export function discriminate(cases: readonly Case[], score: Score): Discrimination | undefined {
  const scored = cases.map((one): Scored => ({ ...one, score: score(one) }));
  const auc = aucOf(scored);
  if (auc === undefined) return undefined;
  const random = randomFrom(scored.length);
  const sessions = groupsOf(scored, ({ session }) => session);
  const drawn = aucsOf(() => sessions.flatMap(() => pick(sessions, random)[1]));
  const groups = groupsOf(scored, ({ compaction }) => compaction);
  const dealt = aucsOf(() => groups.flatMap(([, group]) => dealtAnew(group, random)));
  return {
    cases: scored.length,
    came: scored.filter((one) => one.isReadAgain).length,
    auc,
    low: quantile(drawn, 0.025),
    high: quantile(drawn, 0.975),
    permuted: quantile(dealt, 0.95),
  };
}

function aucsOf(draw: () => Parameters<typeof aucOf>[0]): readonly number[] {
  return Array.from({ length: rounds }, () => aucOf(draw())).filter((value) => value !== undefined);
}

/** Shuffles what came (Fisher-Yates). */
function dealtAnew(group: readonly Scored[], random: () => number): Parameters<typeof aucOf>[0] {
  const came = group.map((one) => one.isReadAgain);
  for (let at = came.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [came[at], came[other]] = [came[other] ?? false, came[at] ?? false];
  }
  return group.map(({ score }, at) => ({ score, isReadAgain: came[at] ?? false }));
}
