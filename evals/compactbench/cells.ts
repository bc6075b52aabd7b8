import { estimateOf, type Estimate } from "../metrics/estimate.js";
import type { Family } from "./families.js";
import type { Difficulty } from "./made-case.js";
import type { PlayedCase } from "./play-case.js";
import { mean } from "../metrics/quantile.js";
import { groupsOf } from "../metrics/groups-of.js";

/** A system in a family at a difficulty: means over the seeds, with intervals. */
export interface Cell {
  readonly system: string;
  readonly family: Family;
  readonly difficulty: Difficulty;
  /** Mean over the cycles of a case, then over the cases. */
  readonly score: Estimate;
  readonly drift: Estimate;
  /** The score by a reader to whom the last mention of a sentence is the newest. */
  readonly lastMention: Estimate;
}

/** Returns the cells of all cases that were played, in their order. Pure. */
export function cellsOf(played: readonly PlayedCase[]): readonly Cell[] {
  const groups = groupsOf(played, (one) => [one.system, one.case.family, one.case.difficulty].join("\n"));
  return groups.map(([, group]) => {
    const { system, case: one } = group[0]!;
    return { system, family: one.family, difficulty: one.difficulty, ...estimatesOf(group) };
  });
}

/** Returns the scores and the drift resistance of cases, at least one, as means with intervals. */
export function estimatesOf(played: readonly PlayedCase[]): Pick<Cell, "score" | "drift" | "lastMention"> {
  return {
    score: meanOf(played.map(({ scores }) => mean(scores))),
    lastMention: meanOf(played.map(({ byLastMention }) => mean(byLastMention))),
    drift: meanOf(played.map(({ drift }) => drift)),
  };
}

/** Each case is a run of its own. */
function meanOf(values: readonly number[]): Estimate {
  return estimateOf(values.map((value) => [value]))!;
}
