import type { Dialogue } from "../data/dialogue.js";
import type { Kind, RankingRecall } from "./measure-ranking.js";
import { publishedAnswers, publishedBudgets, publishedCopy, publishedEvidence } from "./published.js";
import { oracle } from "./rankings.js";

/** A recall that others published, beside ours. */
export interface ReproducedRecall {
  readonly kind: Kind;
  readonly ranking: string;
  readonly budget: number;
  readonly published: number;
  readonly measured: number;
  readonly isClose: boolean;
}

/** Largest allowed difference from the published value. The stop words of the published answers are unknown. */
const tolerances = { evidence: 0.02, answer: 0.025 };

/** Returns each published recall beside the measured one; none for chats that are not the published copy. */
export function reproductionOf(
  dialogues: readonly Dialogue[],
  recalls: readonly RankingRecall[],
): readonly ReproducedRecall[] {
  const questions = dialogues.reduce((sum, dialogue) => sum + dialogue.questions.length, 0);
  if (dialogues.length !== publishedCopy.dialogues || questions !== publishedCopy.questions) return [];
  return [
    { kind: "evidence" as const, values: publishedEvidence },
    { kind: "answer" as const, values: publishedAnswers },
  ].flatMap(({ kind, values }) =>
    Object.entries(values).flatMap(([ranking, row]) =>
      recalls
        .filter((recall) => recall.ranking === ranking)
        .map((recall) => {
          const published =
            row[publishedBudgets.findIndex((budget) => budget === recall.budget)] ?? Number.NaN;
          const measured = recall[kind]?.mean ?? Number.NaN;
          const isClose = Math.abs(published - measured) <= tolerances[kind];
          return { kind, ranking, budget: recall.budget, published, measured, isClose };
        }),
    ),
  );
}

/** Returns true when all recalls are close to the published ones. */
export function isReproduced(reproduced: readonly ReproducedRecall[]): boolean {
  return reproduced.every((row) => row.isClose || isCeilingOfAnswers(row));
}

/** How many words of a paraphrase can be found depends mostly on the stop words. Reported, not required. */
function isCeilingOfAnswers({ kind, ranking }: ReproducedRecall): boolean {
  return kind === "answer" && ranking === oracle.name;
}
