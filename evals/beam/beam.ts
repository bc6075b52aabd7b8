import type { Dialogue } from "../data/dialogue.js";
import { generateAssistance } from "../data/generate-dialogue.js";
import { readBeam } from "./read-beam.js";
import { chatChoices } from "../locomo/choice-table.js";
import { measureRanking, type RankingRecall } from "../locomo/measure-ranking.js";
import { predictiveContext, searchHistory } from "../locomo/product-rankings.js";
import {
  bm25,
  bm25FirstSpeaker,
  bm25Neighbours,
  chatMode,
  oracle,
  random,
  recency,
  type Ranking,
} from "../locomo/rankings.js";
import { categoryTable, evidenceComparisons, recallChart, recallTable } from "../locomo/report-locomo.js";
import type { Suite } from "../suite.js";

const rankings: readonly Ranking[] = [
  recency,
  random,
  bm25,
  bm25Neighbours,
  bm25FirstSpeaker,
  chatMode,
  predictiveContext,
  searchHistory,
  oracle,
];
const seeds = [1, 2, 3];
const budgets = [2_000, 4_000, 8_000];
/** Least recall of the predictive context, by budget, that the suite requires on recorded chats. */
const required = [0.6, 0.69, 0.78];

/** Measures how much of what a question is about is in the context, in very long chats of a user with an assistant. */
export const beam: Suite = async ({ data, quick = false, progress }) => {
  const recorded = readBeam(data, quick ? 2 : Infinity);
  const dialogues = recorded ?? [1, 2].map((seed) => generateAssistance(seed, quick ? 4 : 16));
  const name = recorded === undefined ? "generated chats with an assistant" : "BEAM";
  const recalls: RankingRecall[] = [];
  for (const [at, ranking] of rankings.entries()) {
    progress(`${at}/${rankings.length} ${ranking.name}`);
    const own = { budgets, seeds: ranking === random ? seeds : [1] };
    recalls.push(...(await measureRanking(dialogues, ranking, own)));
  }
  const passes = recorded === undefined || quick ? beatsChance(recalls) : reaches(recalls);
  return {
    suite: "beam",
    question: "In very long chats with an assistant, how much of what a question is about is in the context?",
    cases: countQuestions(dialogues),
    passed: passes,
    tables: [
      recallTable(recalls, { kind: "evidence", name, budgets }),
      ...(recorded === undefined ? [] : [categoryTable(recalls)]),
    ],
    charts: [recallChart(recalls, "evidence", name)],
    choices: [chatChoices(recalls, { title: "Chats with an assistant", name, budgets })],
    comparisons: evidenceComparisons(recalls, { name, budgets }),
    numbers: { seeds, recalls },
  };
};

function countQuestions(dialogues: readonly Dialogue[]): number {
  return dialogues.reduce((sum, { questions }) => sum + questions.length, 0);
}

function reaches(recalls: readonly RankingRecall[]): boolean {
  return budgets.every((budget, at) => evidenceOf(recalls, predictiveContext, budget) >= (required[at] ?? 1));
}

function beatsChance(recalls: readonly RankingRecall[]): boolean {
  return budgets.every(
    (budget) =>
      evidenceOf(recalls, oracle, budget) > 0.99 &&
      evidenceOf(recalls, predictiveContext, budget) > evidenceOf(recalls, random, budget),
  );
}

function evidenceOf(recalls: readonly RankingRecall[], { name }: Ranking, budget: number): number {
  return recalls.find((one) => one.ranking === name && one.budget === budget)?.evidence?.mean ?? 0;
}
