import { generateDialogue } from "../data/made/generate-dialogue.js";
import { readDialogues } from "../data/read-dialogues.js";
import { sessionSets, type RunSet } from "../data/run-sets.js";
import { mean } from "../metrics/quantile.js";
import { verdictOf } from "../report/verdict.js";
import type { Suite } from "../suite.js";
import { searchChoices } from "./choice-table.js";
import { lanes, ours, random, tool } from "./lanes.js";
import { makeRun } from "./made-runs.js";
import { measureNextSteps, wholeAnswer, type NextStepRecall, type Room } from "./measure-next-steps.js";
import { measureQuestions, type QuestionRecall } from "./measure-questions.js";
import type { QueryName } from "./next-steps.js";
import { published } from "./published.js";
import {
  nextStepComparisons,
  nextStepTable,
  questionComparisons,
  questionTable,
  reproductionTable,
} from "./report-recall.js";
import { theirGrep, theirWholeGrep } from "./their-grep.js";

/** Share of the far evidence that stands in the five steps that the agent's own words must find. */
const leastByOwnWords = 0.5;
/** Searches below which a set is too small to tell. */
const fewest = 20;
/** The tool leaves out hits that show nothing but lines of a better one: its first ones are not those of the index. */
const mostBelowIndex = 0.02;

/** Measures what `search_history` finds again of what the next call needs, and of what a question is about. */
export const recall: Suite = async ({ data, quick = false, progress }) => {
  const sets = await setsOf(data, quick);
  const steps: Record<string, readonly NextStepRecall[]> = {};
  for (const set of sets) steps[set.name] = await measureSet(set, progress);
  const recorded = readDialogues(data);
  const dialogues = recorded ?? [generateDialogue(1, quick ? 6 : 12)];
  const questions: QuestionRecall[] = [];
  const ranked = lanes.filter((lane) => ![tool, theirGrep, theirWholeGrep].includes(lane));
  for (const [at, lane] of ranked.entries()) {
    progress(`${at}/${ranked.length} conversations, ${lane.name}`);
    questions.push(await measureQuestions(dialogues, lane));
  }
  const told = Object.fromEntries(Object.entries(steps).filter(([, recalls]) => countOf(recalls) >= fewest));
  const conversations = recorded === undefined ? "generated conversation" : "LoCoMo";
  return {
    suite: "recall",
    question: "What does the agent find again with search_history, asking in its own words?",
    cases: Object.values(steps).reduce((sum, recalls) => sum + countOf(recalls), 0),
    passed:
      Object.entries(told).every(([name, recalls]) => holds(name, recalls)) &&
      evidenceOf(questions, ours) > evidenceOf(questions, random.name),
    tables: [
      ...Object.entries(steps).map(([name, recalls]) => nextStepTable(name, recalls)),
      questionTable(conversations, questions),
      ...(Object.keys(published).some((name) => steps[name] !== undefined) ? [reproductionTable(steps)] : []),
    ],
    charts: [],
    choices: [searchChoices(told)],
    comparisons: [
      ...Object.entries(told).flatMap(([name, recalls]) => nextStepComparisons(name, recalls)),
      ...questionComparisons(conversations, questions),
    ],
    tooSmall: Object.entries(steps)
      .filter(([name]) => told[name] === undefined)
      .map(([name, recalls]) => `${name}: ${countOf(recalls)} steps need something far.`),
    numbers: { leastByOwnWords, steps, questions },
  };
};

async function setsOf(data: string | undefined, quick: boolean): Promise<readonly RunSet[]> {
  const seeds = quick ? [1] : [1, 2];
  const made = { name: "generated", trajectories: seeds.map((seed) => makeRun(seed, quick ? 80 : 100)) };
  if (data === undefined) return [made];
  return [made, ...(await sessionSets(data))];
}

/** Measures the tool first: the others show as many tokens as it answers. */
async function measureSet(
  { name, trajectories }: RunSet,
  progress: (line: string) => void,
): Promise<readonly NextStepRecall[]> {
  progress(`${name}, ${tool.name}`);
  const answered = await measureNextSteps(trajectories, tool, wholeAnswer);
  const room = roomOf(answered);
  const recalls: NextStepRecall[] = [];
  for (const [at, lane] of lanes.entries()) {
    progress(`${at}/${lanes.length} ${name}, ${lane.name}`);
    recalls.push(...(lane === tool ? answered : await measureNextSteps(trajectories, lane, room)));
  }
  return recalls;
}

/** Returns the tokens that the tool answers on average, by query. */
function roomOf(recalls: readonly NextStepRecall[]): Room {
  const tokensOf = (query: QueryName) => recalls.find((one) => one.query === query)?.tokens ?? 0;
  return { ownWords: tokensOf("ownWords"), published: tokensOf("published") };
}

/**
 * The agent's own words find steps with the required share, more than chance, and by the tool nearly as much as by its index; and
 * the answer of the tool shows as much as any other search does in as many tokens, and more than chance.
 */
function holds(name: string, recalls: readonly NextStepRecall[]): boolean {
  const own = (lane: string) => recalls.find((one) => one.lane === lane && one.query === "ownWords");
  const at5 = (lane: string) => own(lane)?.steps[0]?.mean ?? 0;
  const atAll = (lane: string) => mean(own(lane)?.steps.flatMap((one) => one?.mean ?? []) ?? []);
  const shown = (lane: string) => own(lane)?.shown?.mean ?? 0;
  const found = at5(tool.name);
  const isNearIndex = atAll(tool.name) >= atAll(ours) - mostBelowIndex;
  const finds = found >= leastByOwnWords && found > at5(random.name) && isNearIndex;
  const shows = nextStepComparisons(name, recalls).every((one) => verdictOf(one).standing !== "behind");
  return finds && shows && shown(tool.name) > shown(random.name);
}

/** Returns how many searches with its own words were measured. */
function countOf(recalls: readonly NextStepRecall[]): number {
  return recalls.find(({ lane, query }) => lane === ours && query === "ownWords")?.steps[0]?.count ?? 0;
}

function evidenceOf(recalls: readonly QuestionRecall[], lane: string): number {
  return recalls.find((one) => one.lane === lane)?.evidence[0]?.mean ?? 0;
}
