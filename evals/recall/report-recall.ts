import type { Comparison, Table } from "../suite.js";
import { ours, tool, wholeTexts, wholeTextsAndNeighbours } from "./lanes.js";
import { theirGrep } from "./their-grep.js";
import { depths, type NextStepRecall } from "./measure-next-steps.js";
import type { QuestionRecall } from "./measure-questions.js";
import type { QueryName } from "./next-steps.js";
import { published } from "./published.js";
import { withInterval } from "../report/format-value.js";

/** Differences of the shown share up to this size count as level. */
export const shownMargin = 0.02;

const queryNames: Readonly<Record<QueryName, string>> = {
  ownWords: "its own words",
  published: "PACE's: the task and the last two steps",
};

/** Returns what each lane finds of the far evidence of the next calls, by each query. */
export function nextStepTable(name: string, recalls: readonly NextStepRecall[]): Table {
  const [first] = recalls;
  const counts = recalls
    .filter(({ lane }) => lane === first?.lane)
    .map(({ steps: [at5] }) => at5?.count ?? 0);
  return {
    title: `${name}: far evidence of the next call`,
    columns: [
      "searched by",
      "query",
      "shown",
      "first half",
      "second half",
      "tokens shown",
      ...depths.map((depth) => `in ${depth} steps, read whole`),
    ],
    rows: recalls.map(({ lane, query, shown, halves, tokens, steps }) => [
      lane,
      queryNames[query],
      withInterval(shown),
      ...halves.map((half) => half?.mean.toFixed(3) ?? "–"),
      Math.round(tokens),
      ...steps.map(withInterval),
    ]),
    note:
      `Far evidence: strings of the next call's arguments that were last seen more than ten steps before. Searched are the steps ` +
      `older than ten, where there are 20 or more. Shown: the string stands word for word in what the search answers; of all but ` +
      `search_history and the last row of deepagents, in as many tokens as search_history answers on average with that query. ` +
      `First and second half: of the searches of each run. In 5 steps, read whole: it is in one of the five steps that the first ` +
      `hits are from, which takes further reads. Mean over steps with a 95 % bootstrap interval; ` +
      `${Math.max(...counts)} or fewer steps, less where the agent said nothing. The control is drawn five times. Its own words are ` +
      `what the agent wrote in that step: a search with them is a call of the tool, and not possible before the step is made.`,
  };
}

/** Returns what each lane finds of the turns that answer questions. */
export function questionTable(name: string, recalls: readonly QuestionRecall[]): Table {
  return {
    title: `${name}: turns that answer a question`,
    columns: ["searched by", ...depths.map((depth) => `in ${depth} turns`)],
    rows: recalls.map(({ lane, evidence }) => [lane, ...evidence.map(withInterval)]),
    note: `${recalls[0]?.evidence[0]?.count ?? 0} questions. Share of the gold evidence turns among the first hits. Every turn is a passage.`,
  };
}

/** Returns the published baseline beside ours: whether this harness measures what others measured. */
export function reproductionTable(steps: Readonly<Record<string, readonly NextStepRecall[]>>): Table {
  const known = Object.entries(published).filter(([set]) => steps[set] !== undefined);
  const rows = known.flatMap(([set, byQuery]) =>
    (Object.keys(byQuery) as QueryName[]).flatMap((query) => {
      const measured = steps[set]?.find((one) => one.lane === wholeTexts.name && one.query === query);
      return depths.map((depth, at) => {
        const before = byQuery[query][at] ?? Number.NaN;
        const mean = measured?.steps[at]?.mean ?? Number.NaN;
        return [
          set,
          queryNames[query],
          depth,
          before.toFixed(3),
          mean.toFixed(3),
          (mean - before).toFixed(3),
        ];
      });
    }),
  );
  return {
    title: "Published baseline (BM25 over whole steps), reproduced",
    columns: ["set", "query", "at", "published", "measured", "difference"],
    rows,
    note: "Reported, not required: one of the 66 steps with the agent's own words is .015.",
  };
}

/** Lanes that are rivals: they search whole steps or turns. */
const rivals = [wholeTexts.name, wholeTextsAndNeighbours.name];
/** Those that also answer with text. */
const answeringRivals = [...rivals, theirGrep.name];

/** Compares what `search_history` shows to the agent's own words with what others show in as many tokens. */
export function nextStepComparisons(name: string, recalls: readonly NextStepRecall[]): readonly Comparison[] {
  const shownBy = (lane: string) =>
    recalls.find((one) => one.lane === lane && one.query === "ownWords")?.shown?.mean ?? Number.NaN;
  return [
    {
      measure: `far evidence of the next call in the answer of search_history, in equal tokens, ${name}`,
      unit: "share",
      better: "higher",
      ours: shownBy(tool.name),
      rivals: answeringRivals.map((lane) => ({ name: lane, value: shownBy(lane) })),
      margin: shownMargin,
    },
  ];
}

/** Compares the index to BM25 over turns. */
export function questionComparisons(name: string, recalls: readonly QuestionRecall[]): readonly Comparison[] {
  const at5 = (lane: string) => recalls.find((one) => one.lane === lane)?.evidence[0]?.mean ?? Number.NaN;
  return [
    {
      measure: `turns that answer a question found in 5 turns by the index of search_history, ${name}`,
      unit: "share",
      better: "higher",
      ours: at5(ours),
      rivals: rivals.map((lane) => ({ name: lane, value: at5(lane) })),
      margin: 0.02,
    },
  ];
}
