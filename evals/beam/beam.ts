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
import { categoryTable, recallChart, recallTable } from "../locomo/report-locomo.js";
import { barTable, holds, shippedComparisons, type RecallGroup } from "../locomo/shipped-bars.js";
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

/** Measures how much of what a question is about is in the context, in very long chats of a user with an assistant, by their length. */
export const beam: Suite = async ({ data, quick = false, progress }) => {
  const recorded = readBeam(data, quick ? 2 : Infinity);
  const dialogues = recorded ?? [1, 2].map((seed) => generateAssistance(seed, quick ? 4 : 16));
  const name = recorded === undefined ? "generated chats with an assistant" : "BEAM";
  const groups = await measureGroups(name, dialogues, progress);
  const comparisons = shippedComparisons(groups, budgets);
  const ordered = groups.every(({ recalls }) => beatsChance(recalls));
  return {
    suite: "beam",
    question: "In very long chats with an assistant, how much of what a question is about is in the context?",
    cases: countQuestions(dialogues),
    // Made chats, and the two of a quick run, tell chance from search, and nothing of which search is best.
    passed: ordered && (recorded === undefined || quick || holds(comparisons)),
    tables: [
      barTable(comparisons),
      ...groups.flatMap(({ name, recalls }) => [
        recallTable(recalls, { kind: "evidence", name, budgets }),
        ...(recorded === undefined ? [] : [categoryTable(recalls, name)]),
      ]),
    ],
    charts: groups.map(({ name, recalls }) => recallChart(recalls, "evidence", name)),
    choices: [chatChoices(groups, { title: "Chats with an assistant", budgets })],
    comparisons,
    numbers: { seeds, groups },
  };
};

/** Measures the chats of each length by themselves. */
async function measureGroups(
  name: string,
  dialogues: readonly Dialogue[],
  progress: (line: string) => void,
): Promise<readonly RecallGroup[]> {
  const groups: RecallGroup[] = [];
  for (const [length, chats] of byLength(dialogues)) {
    const recalls: RankingRecall[] = [];
    for (const [at, ranking] of rankings.entries()) {
      progress(`${at}/${rankings.length} ${name} ${length}, ${ranking.name}`);
      const own = { budgets, seeds: ranking === random ? seeds : [1] };
      recalls.push(...(await measureRanking(chats, ranking, own)));
    }
    groups.push({ name: `${name}, ${length}`, recalls });
  }
  return groups;
}

/** Returns the chats by how long they are, as their source names it. */
function byLength(dialogues: readonly Dialogue[]): ReadonlyMap<string, readonly Dialogue[]> {
  const lengths = new Set(dialogues.map(lengthOf));
  return new Map([...lengths].map((length) => [length, dialogues.filter((one) => lengthOf(one) === length)]));
}

function lengthOf({ length = "one length" }: Dialogue): string {
  return length;
}

function countQuestions(dialogues: readonly Dialogue[]): number {
  return dialogues.reduce((sum, { questions }) => sum + questions.length, 0);
}

/** Shipped rankings show more than chance does, and less than the ceiling. */
function beatsChance(recalls: readonly RankingRecall[]): boolean {
  return budgets.every((budget) =>
    [predictiveContext, searchHistory].every((ours) => {
      const shown = evidenceOf(recalls, ours, budget);
      return shown > evidenceOf(recalls, random, budget) && shown <= evidenceOf(recalls, oracle, budget);
    }),
  );
}

function evidenceOf(recalls: readonly RankingRecall[], { name }: Ranking, budget: number): number {
  return recalls.find((one) => one.ranking === name && one.budget === budget)?.evidence?.mean ?? 0;
}
