import { generateDialogue } from "../data/generate-dialogue.js";
import { readDialogues } from "../data/read-dialogues.js";
import { sessionSets, type RunSet } from "../data/run-sets.js";
import type { Suite } from "../suite.js";
import { searchChoices } from "./choice-table.js";
import { lanes, ours, random, tool } from "./lanes.js";
import { makeRun } from "./made-runs.js";
import { measureNextSteps, type NextStepRecall } from "./measure-next-steps.js";
import { measureQuestions, type QuestionRecall } from "./measure-questions.js";
import { published } from "./published.js";
import {
  nextStepComparisons,
  nextStepTable,
  questionComparisons,
  questionTable,
  reproductionTable,
} from "./report-recall.js";

/** Share of the far evidence that the agent's own words must find in five steps. */
const leastByOwnWords = 0.5;
/** Searches below which a set is too small to tell. */
const fewest = 20;
/** The tool answers with 20 passages at most; the index is asked for 60. */
const mostBelowIndex = 0.02;

/** Measures what `search_history` finds again of what the next call needs, and of what a question is about. */
export const recall: Suite = async ({ data, quick = false, progress }) => {
  const sets = await setsOf(data, quick);
  const steps: Record<string, NextStepRecall[]> = {};
  for (const { name, trajectories } of sets) {
    const own = (steps[name] = [] as NextStepRecall[]);
    for (const [at, lane] of lanes.entries()) {
      progress(`${at}/${lanes.length} ${name}, ${lane.name}`);
      own.push(...(await measureNextSteps(trajectories, lane)));
    }
  }
  const recorded = readDialogues(data);
  const dialogues = recorded ?? [generateDialogue(1, quick ? 6 : 12)];
  const questions: QuestionRecall[] = [];
  for (const [at, lane] of lanes.filter((one) => one !== tool).entries()) {
    progress(`${at}/${lanes.length - 1} conversations, ${lane.name}`);
    questions.push(await measureQuestions(dialogues, lane));
  }
  const told = Object.fromEntries(Object.entries(steps).filter(([, recalls]) => countOf(recalls) >= fewest));
  const conversations = recorded === undefined ? "generated conversation" : "LoCoMo";
  return {
    suite: "recall",
    question: "What does the agent find again with search_history, asking in its own words?",
    cases: Object.values(steps).reduce((sum, recalls) => sum + countOf(recalls), 0),
    passed: Object.values(told).every(holds) && meanOf(questions, ours) > meanOf(questions, random.name),
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

/** The agent's own words find the required share, more than chance, and by the tool nearly as much as by its index. */
function holds(recalls: readonly NextStepRecall[]): boolean {
  const at5 = (lane: string) =>
    recalls.find((one) => one.lane === lane && one.query === "ownWords")?.steps[0]?.mean ?? 0;
  const found = at5(tool.name);
  return found >= leastByOwnWords && found > at5(random.name) && found >= at5(ours) - mostBelowIndex;
}

/** Returns how many searches with its own words were measured. */
function countOf(recalls: readonly NextStepRecall[]): number {
  return recalls.find(({ lane, query }) => lane === ours && query === "ownWords")?.steps[0]?.count ?? 0;
}

function meanOf(recalls: readonly QuestionRecall[], lane: string): number {
  return recalls.find((one) => one.lane === lane)?.evidence[0]?.mean ?? 0;
}
