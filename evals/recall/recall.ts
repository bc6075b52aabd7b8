import { sessionSets, type RunSet } from "../data/run-sets.js";
import { mean } from "../metrics/quantile.js";
import { sumOf } from "../metrics/sum-of.js";
import { verdictOf } from "../report/verdict.js";
import type { Suite } from "../suite.js";
import { lanes, ours, random, tool } from "./lanes.js";
import { makeRun } from "./made-runs.js";
import { measureNextSteps, type NextStepRecall } from "./measure-next-steps.js";
import { comparisonOf, nextStepTable, recallOf, searchChoices } from "./report-recall.js";

/** Share of the far evidence that stands in the five steps that the agent's own words must find. */
const leastByOwnWords = 0.5;
/** Searches below which a set is too small to tell. */
const fewest = 20;
/** The tool leaves out hits that show nothing but lines of a better one: its first ones are not those of the index. */
const mostBelowIndex = 0.02;

/** Measures what `search_history` finds again of what the next call needs. */
export const recall: Suite = async ({ data, quick = false, progress }) => {
  const steps: Record<string, readonly NextStepRecall[]> = {};
  for (const set of await setsOf(data, quick)) steps[set.name] = await measureSet(set, progress);
  const all = Object.entries(steps);
  const told = all.filter(([, recalls]) => countOf(recalls) >= fewest);
  return {
    suite: "recall",
    question: "What does the agent find again with search_history, asking in its own words?",
    cases: sumOf(all, ([, recalls]) => countOf(recalls)),
    passed: told.every(([name, recalls]) => holds(name, recalls)),
    tables: all.map(([name, recalls]) => nextStepTable(name, recalls)),
    charts: [],
    choices: [searchChoices(Object.fromEntries(told))],
    comparisons: told.map(([name, recalls]) => comparisonOf(name, recalls)),
    tooSmall: all
      .filter(([, recalls]) => countOf(recalls) < fewest)
      .map(([name, recalls]) => `${name}: ${countOf(recalls)} steps need something far.`),
    numbers: { leastByOwnWords, steps },
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
  const answered = await measureNextSteps(trajectories, tool, Infinity);
  const recalls: NextStepRecall[] = [];
  for (const [at, lane] of lanes.entries()) {
    progress(`${at}/${lanes.length} ${name}, ${lane.name}`);
    recalls.push(lane === tool ? answered : await measureNextSteps(trajectories, lane, answered.tokens));
  }
  return recalls;
}

/**
 * The agent's own words find steps with the required share, more than chance, and by the tool nearly as much as by its index; and
 * the answer of the tool shows as much as any other search does in as many tokens, and more than chance.
 */
function holds(name: string, recalls: readonly NextStepRecall[]): boolean {
  const at5 = (lane: string) => recallOf(recalls, lane)?.steps[0]?.mean ?? 0;
  const atAll = (lane: string) =>
    mean(recallOf(recalls, lane)?.steps.flatMap((one) => one?.mean ?? []) ?? []);
  const shown = (lane: string) => recallOf(recalls, lane)?.shown?.mean ?? 0;
  const found = at5(tool.name);
  const isNearIndex = atAll(tool.name) >= atAll(ours) - mostBelowIndex;
  const finds = found >= leastByOwnWords && found > at5(random.name) && isNearIndex;
  const shows = verdictOf(comparisonOf(name, recalls)).standing !== "behind";
  return finds && shows && shown(tool.name) > shown(random.name);
}

/** Returns how many searches with its own words were measured. */
function countOf(recalls: readonly NextStepRecall[]): number {
  return recallOf(recalls, ours)?.steps[0]?.count ?? 0;
}
