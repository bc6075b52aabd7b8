import type { Comparison, Table } from "../suite.js";
import { verdictOf, type Verdict } from "../report/verdict.js";
import type { RankingRecall } from "./measure-ranking.js";
import { predictiveContext, searchHistory } from "./product-rankings.js";
import { bm25, bm25FirstSpeaker, bm25Neighbours, observations, recency } from "./rankings.js";
import { tableOf } from "../report/table-of.js";

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
      budgets.flatMap((budget) => {
        const at = (one: string) =>
          recalls.find((recall) => recall.ranking === one && recall.budget === budget)?.evidence?.mean;
        const ours = at(ranking.name);
        if (ours === undefined) return [];
        return [
          {
            measure: `gold evidence in ${budget.toLocaleString("en")} tokens: ${system}, ${name}`,
            unit: "share" as const,
            better: "higher" as const,
            ours,
            rivals: rivals.flatMap((rival) => {
              const value = at(rival.name);
              return value === undefined ? [] : [{ name: rival.name, value }];
            }),
            margin,
          },
        ];
      }),
    ),
  );
}

/** Returns true when no shipped ranking is behind the best rival by more than the margin. */
export function holds(comparisons: readonly Comparison[]): boolean {
  return comparisons.length > 0 && comparisons.map(verdictOf).every(isLevel);
}

function isLevel({ standing }: Verdict): boolean {
  return standing !== "behind";
}

/** Returns a row for each bar, with what it is measured against. */
export function barTable(comparisons: readonly Comparison[]): Table {
  return tableOf(comparisons.map(verdictOf), {
    title: "What ships, beside the best of the other rankings",
    columns: [
      ["evidence", (verdict) => verdict.measure],
      ["ours", (verdict) => verdict.ours.toFixed(3)],
      ["best other", (verdict) => verdict.best.value.toFixed(3)],
      ["which", (verdict) => verdict.best.name],
      ["difference", (verdict) => verdict.lead.toFixed(3)],
      ["holds", (verdict) => (isLevel(verdict) ? "yes" : "DOES NOT HOLD")],
    ],
    note: `The suite holds when every row does: ours is at most ${margin} below the best other ranking. No row pools conversations of different lengths.`,
  });
}
