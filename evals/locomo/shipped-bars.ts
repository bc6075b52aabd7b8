import type { Comparison } from "../suite.js";
import { verdictOf } from "../report/verdict.js";
import { evidenceAt, type RankingRecall } from "./measure-ranking.js";
import { predictiveContext, searchHistory } from "./product-rankings.js";
import { bm25, bm25FirstSpeaker, bm25Neighbours, observations, recency, type Ranking } from "./rankings.js";

/** What an agent is shown: the selection of a node, and one answer of a tool. */
const shipped = { "predictive context": predictiveContext, "search_history, one call": searchHistory };
/** Rankings that one could use instead: each shows turns in the order of its scores. */
const rivals = [recency, bm25, bm25Neighbours, bm25FirstSpeaker, observations];
/** Recall by which a shipped ranking may be behind the best rival. */
const margin = 0.01;

/** Recalls of conversations that are of one kind and length. */
export interface RecallGroup {
  readonly name: string;
  readonly recalls: readonly RankingRecall[];
}

/** Compares each shipped ranking with the best rival, for each group and budget. Never over several groups. */
export function shippedComparisons(
  groups: readonly RecallGroup[],
  budgets: readonly number[],
): readonly Comparison[] {
  return groups.flatMap(({ name, recalls }) =>
    Object.entries(shipped).flatMap(([system, ranking]) =>
      budgets.flatMap((budget): readonly Comparison[] => {
        const shownBy = (one: Ranking) => evidenceAt(recalls, one.name, budget)?.mean;
        const ours = shownBy(ranking);
        if (ours === undefined) return [];
        return [
          {
            measure: `gold evidence in ${budget.toLocaleString("en")} tokens: ${system}, ${name}`,
            unit: "share",
            better: "higher",
            ours,
            rivals: rivals
              .map((rival) => ({ name: rival.name, value: shownBy(rival) ?? Number.NaN }))
              .filter(({ value }) => !Number.isNaN(value)),
            margin,
          },
        ];
      }),
    ),
  );
}

/** Returns true when no shipped ranking is behind the best rival by more than the margin. */
export function holds(comparisons: readonly Comparison[]): boolean {
  return comparisons.length > 0 && comparisons.every((one) => verdictOf(one).standing !== "behind");
}
