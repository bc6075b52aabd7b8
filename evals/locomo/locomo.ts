import type { Dialogue } from "../data/dialogue.js";
import { generateDialogue } from "../data/generate-dialogue.js";
import { readDialogues } from "../data/read-dialogues.js";
import type { Suite } from "../suite.js";
import { chatChoices } from "./choice-table.js";
import { denseEncoder, hashedWords } from "./embedding-rankings.js";
import { measureRanking, type RankingRecall } from "./measure-ranking.js";
import { predictiveContext, searchByMeaning, searchHistory } from "./product-rankings.js";
import { publishedAnswers, publishedBudgets, publishedCopy, publishedEvidence } from "./published.js";
import {
  bm25,
  bm25Neighbours,
  chatMode,
  newestSummaries,
  observations,
  oracle,
  random,
  recency,
  summaries,
  type Ranking,
} from "./rankings.js";
import { categoryTable, recallChart, recallTable, reproductionTable } from "./report-locomo.js";
import { barTable, holds, shippedComparisons } from "./shipped-bars.js";

const turnRankings = [
  recency,
  random,
  bm25,
  bm25Neighbours,
  hashedWords,
  denseEncoder,
  chatMode,
  predictiveContext,
  searchHistory,
  searchByMeaning,
  oracle,
];
const noteRankings = [newestSummaries, summaries, observations];
const seeds = [1, 2, 3, 4, 5];
/** Largest allowed difference from the published value. The stop words of the published answers are unknown. */
const tolerances = { evidence: 0.02, answer: 0.025 };

/** Measures how much of what a question is about each ranking brings into the context, in very long conversations. */
export const locomo: Suite = async ({ data, quick = false, progress }) => {
  // Longer than the largest budget: below it every ranking shows everything.
  const sessions = quick ? 12 : 48;
  const recorded = readDialogues(data);
  const dialogues = recorded ?? [1, 2].map((seed) => generateDialogue(seed, sessions));
  const hasNotes = dialogues.every(({ observations: notes }) => notes.length > 0);
  const rankings: readonly Ranking[] = [...turnRankings, ...(hasNotes ? noteRankings : [])];
  const budgets = quick ? [500, 2_000] : publishedBudgets;
  const recalls: RankingRecall[] = [];
  for (const [at, ranking] of rankings.entries()) {
    progress(`${at}/${rankings.length} ${ranking.name}`);
    const own = { budgets, seeds: ranking === random ? seeds : [1] };
    recalls.push(...(await measureRanking(dialogues, ranking, own)));
  }
  const reproduced = reproductionOf(dialogues, recalls);
  const name = recorded === undefined ? "generated conversations" : "LoCoMo";
  const comparisons = shippedComparisons([{ name, recalls }], budgets);
  return {
    suite: "locomo",
    question: "In very long conversations, how much of what a question is about is in the context?",
    cases: dialogues.reduce((sum, { questions }) => sum + questions.length, 0),
    passed: isReproduced(reproduced) && isOrdered(recalls) && holds(comparisons),
    tables: [
      barTable(comparisons),
      recallTable(recalls, { kind: "evidence", name, budgets }),
      recallTable(recalls, { kind: "answer", name, budgets }),
      ...(recorded === undefined ? [] : [categoryTable(recalls, name), reproductionTable(reproduced)]),
    ].filter(({ rows }) => rows.length > 0),
    charts: [recallChart(recalls, "evidence", name), recallChart(recalls, "answer", name)],
    choices: [chatChoices([{ name, recalls }], { title: "Chats of two people", budgets })],
    comparisons,
    numbers: { seeds, recalls, reproduced },
  };
};

function reproductionOf(dialogues: readonly Dialogue[], recalls: readonly RankingRecall[]) {
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

function isReproduced(reproduced: ReturnType<typeof reproductionOf>): boolean {
  return reproduced.every(({ isClose, ...row }) => isClose || isCeilingOfAnswers(row));
}

/** How many words of a paraphrase can be found depends mostly on the stop words. Reported, not required. */
function isCeilingOfAnswers({ kind, ranking }: { readonly kind: string; readonly ranking: string }): boolean {
  return kind === "answer" && ranking === oracle.name;
}

/** The oracle has all the evidence, and BM25 more of it than chance, at every budget: the measure tells rankings apart. */
function isOrdered(recalls: readonly RankingRecall[]): boolean {
  const evidence = (ranking: Ranking, budget: number) =>
    recalls.find((one) => one.ranking === ranking.name && one.budget === budget)?.evidence?.mean ?? 0;
  const budgets = [...new Set(recalls.map(({ budget }) => budget))];
  return budgets.every(
    (budget) => evidence(oracle, budget) > 0.99 && evidence(bm25, budget) > evidence(random, budget),
  );
}
