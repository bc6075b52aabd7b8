import type { Comparison, Suite } from "../suite.js";
import { sumOf } from "../metrics/sum-of.js";
import { chatSets, type ChatSet } from "./chat-sets.js";
import { evidenceAt, measureRanking, type RankingRecall } from "./measure-ranking.js";
import { predictiveContext, searchHistory } from "./product-rankings.js";
import { bm25, oracle, random, type Ranking } from "./rankings.js";
import { chatChoices, recallTable } from "./report-locomo.js";
import { reproductionOf, reproductionTable, type ReproducedRecall } from "./reproduction.js";
import { holds, shippedComparisons, type RecallGroup } from "./shipped-bars.js";

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
    cases: sumOf(
      measured.flatMap(({ set }) => set.dialogues),
      ({ questions }) => questions.length,
    ),
    passed: measured.every(isMeasured) && barred.every(({ comparisons }) => holds(comparisons)),
    tables: measured.flatMap(({ set, groups, reproduced }) => [
      ...groups.map((group) => recallTable(group, set.budgets)),
      ...(reproduced.length === 0 ? [] : [reproductionTable(reproduced)]),
    ]),
    charts: [],
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

/** The measure tells rankings apart, and gives what was published where the copy of the chats is the published one. */
function isMeasured({ set, groups, reproduced }: MeasuredSet): boolean {
  const isReproduced = reproduced.every(({ isClose }) => isClose);
  return isReproduced && groups.every(({ recalls }) => isOrdered(recalls, set.budgets));
}

/** BM25 and what ships show more of the evidence than chance does, and no more than the oracle, at every budget. */
function isOrdered(recalls: readonly RankingRecall[], budgets: readonly number[]): boolean {
  return budgets.every((budget) => {
    const shown = ({ name }: Ranking) => evidenceAt(recalls, name, budget)?.mean ?? 0;
    return [bm25, predictiveContext, searchHistory].every(
      (ranking) => shown(ranking) > shown(random) && shown(ranking) <= shown(oracle),
    );
  });
}
