import type { Dialogue } from "../data/dialogue.js";
import type { Comparison, Suite, Table } from "../suite.js";
import { chatChoices } from "./choice-table.js";
import { chatSets, type ChatSet } from "./chat-sets.js";
import { measureRanking, type RankingRecall } from "./measure-ranking.js";
import { predictiveContext, searchHistory } from "./product-rankings.js";
import { bm25, oracle, random, type Ranking } from "./rankings.js";
import { categoryTable, recallChart, recallTable, reproductionTable } from "./report-locomo.js";
import { isReproduced, reproductionOf, type ReproducedRecall } from "./reproduction.js";
import { barTable, holds, shippedComparisons, type RecallGroup } from "./shipped-bars.js";

/**
 * Measures how much of what a question is about each ranking brings into the context, in very long chats: of two people, and of a
 * user with an assistant, by the length of the chat.
 */
export const locomo: Suite = async ({ data, quick = false, progress }) => {
  const measured: MeasuredSet[] = [];
  for (const set of chatSets({ quick, ...(data === undefined ? {} : { data }) }))
    measured.push(await measureSet(set, progress));
  const barred = measured.filter(({ set }) => set.isBarred);
  return {
    suite: "locomo",
    question: "In very long chats, how much of what a question is about is in the context?",
    cases: measured.reduce((sum, { set }) => sum + questionsOf(set.dialogues), 0),
    passed: measured.every(isMeasured) && barred.every(({ comparisons }) => holds(comparisons)),
    tables: [barTable(barred.flatMap(({ comparisons }) => comparisons)), ...measured.flatMap(tablesOf)],
    charts: measured.flatMap(({ set, groups }) =>
      groups.flatMap(({ name, recalls }) => set.kinds.map((kind) => recallChart(recalls, kind, name))),
    ),
    choices: measured.map(({ set, groups }) => chatChoices(groups, set)),
    comparisons: measured.flatMap(({ comparisons }) => comparisons),
    numbers: measured.map(({ set, groups, reproduced }) => ({ seeds: set.seeds, groups, reproduced })),
  };
};

interface MeasuredSet {
  readonly set: ChatSet;
  /** The chats of each length by themselves. */
  readonly groups: readonly RecallGroup[];
  readonly comparisons: readonly Comparison[];
  readonly reproduced: readonly ReproducedRecall[];
}

async function measureSet(set: ChatSet, progress: (line: string) => void): Promise<MeasuredSet> {
  const groups: RecallGroup[] = [];
  for (const length of new Set(set.dialogues.map((dialogue) => dialogue.length))) {
    const name = length === undefined ? set.name : `${set.name}, ${length}`;
    const chats = set.dialogues.filter((dialogue) => dialogue.length === length);
    const recalls: RankingRecall[] = [];
    for (const [at, ranking] of set.rankings.entries()) {
      progress(`${at}/${set.rankings.length} ${name}, ${ranking.name}`);
      const own = { budgets: set.budgets, seeds: ranking === random ? set.seeds : [1] };
      recalls.push(...(await measureRanking(chats, ranking, own)));
    }
    groups.push({ name, recalls });
  }
  const [first] = groups;
  const reproduced = reproductionOf(set.dialogues, first?.recalls ?? []);
  return { set, groups, comparisons: shippedComparisons(groups, set.budgets), reproduced };
}

function questionsOf(dialogues: readonly Dialogue[]): number {
  return dialogues.reduce((sum, { questions }) => sum + questions.length, 0);
}

function tablesOf({ set, groups, reproduced }: MeasuredSet): readonly Table[] {
  const { budgets, kinds, isRecorded } = set;
  const ofGroups = groups.flatMap(({ name, recalls }) => [
    ...kinds.map((kind) => recallTable(recalls, { kind, name, budgets })),
    ...(isRecorded ? [categoryTable(recalls, name)] : []),
  ]);
  return [...ofGroups, ...(reproduced.length === 0 ? [] : [reproductionTable(reproduced)])];
}

/** The measure tells rankings apart, and gives what was published where the copy of the chats is the published one. */
function isMeasured({ set, groups, reproduced }: MeasuredSet): boolean {
  return isReproduced(reproduced) && groups.every(({ recalls }) => isOrdered(recalls, set.budgets));
}

/** BM25 and what ships show more of the evidence than chance does, and no more than the oracle, at every budget. */
function isOrdered(recalls: readonly RankingRecall[], budgets: readonly number[]): boolean {
  return budgets.every((budget) => {
    const shown = ({ name }: Ranking) =>
      recalls.find((one) => one.ranking === name && one.budget === budget)?.evidence?.mean ?? 0;
    return [bm25, predictiveContext, searchHistory].every(
      (ranking) => shown(ranking) > shown(random) && shown(ranking) <= shown(oracle),
    );
  });
}
