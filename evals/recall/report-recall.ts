import type { Comparison, Table } from "../suite.js";
import { percent, withInterval } from "../report/format-value.js";
import { tableOf, type Column } from "../report/table-of.js";
import { tool, wholeTexts, wholeTextsAndNeighbours } from "./lanes.js";
import { depths, type NextStepRecall } from "./measure-next-steps.js";
import { theirGrep } from "./their-grep.js";

/** What each lane found, by set of runs. */
export type RecallSets = Readonly<Record<string, readonly NextStepRecall[]>>;

/** Returns what each lane finds of the far evidence of the next calls. */
export function nextStepTable(name: string, recalls: readonly NextStepRecall[]): Table {
  return tableOf(recalls, {
    title: `${name}: far evidence of the next call`,
    columns: [
      ["searched by", ({ lane }) => lane],
      ["shown", ({ shown }) => withInterval(shown)],
      ["tokens shown", ({ tokens }) => Math.round(tokens)],
      ...depths.map((depth, at): Column<NextStepRecall> => [
        `in ${depth} steps, read whole`,
        ({ steps }) => withInterval(steps[at]),
      ]),
    ],
    note:
      `Far evidence: strings of the next call's arguments that were last seen more than ten steps before. Searched are the steps ` +
      `older than ten, where there are 20 or more. Shown: the string stands word for word in what the search answers; of all but ` +
      `search_history and the last row of deepagents, in as many tokens as search_history answers on average. ` +
      `In 5 steps, read whole: it is in one of the five steps that the first ` +
      `hits are from, which takes further reads. Mean over steps with a 95 % bootstrap interval. The control is drawn five times. ` +
      `The query is what the agent wrote in that step: a search with it is a call of the tool, and not possible before the step is made.`,
  });
}

/** Returns what `search_history` finds of details that left the context long ago. */
export function searchChoices(sets: RecallSets): Table {
  const found = Object.entries(sets).map(([set, recalls]) => ({ set, own: recallOf(recalls, tool.name) }));
  return tableOf(found, {
    title: "Search",
    columns: [
      ["runs", ({ set }) => set],
      ["shown in the answer", ({ own }) => percent(own?.shown?.mean, 0)],
      ["tokens of the answer", ({ own }) => (own === undefined ? "–" : Math.round(own.tokens))],
      ["in the 5 steps found, read whole", ({ own }) => percent(own?.steps[0]?.mean, 0)],
    ],
    note:
      "One call of search_history with the agent's own words. Share of the strings of the next call, last seen more than ten steps before, " +
      "that stand word for word in its answer; beside it, the share in the five steps that its hits are from, which takes further reads.",
  });
}

/** Searches that one could use instead. */
const rivals = [wholeTexts, wholeTextsAndNeighbours, theirGrep];

/** Compares what `search_history` shows to the agent's own words with what others show in as many tokens. */
export function comparisonOf(name: string, recalls: readonly NextStepRecall[]): Comparison {
  const shownBy = (lane: string) => recallOf(recalls, lane)?.shown?.mean ?? Number.NaN;
  return {
    measure: `far evidence of the next call in the answer of search_history, in equal tokens, ${name}`,
    unit: "share",
    better: "higher",
    ours: shownBy(tool.name),
    rivals: rivals.map((lane) => ({ name: lane.name, value: shownBy(lane.name) })),
    margin: 0.02,
  };
}

export function recallOf(recalls: readonly NextStepRecall[], lane: string): NextStepRecall | undefined {
  return recalls.find((one) => one.lane === lane);
}
