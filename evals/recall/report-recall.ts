import type { Estimate } from "../metrics/estimate.js";
import type { Comparison, Table } from "../suite.js";
import { ours, tool, wholeTexts, wholeTextsAndNeighbours } from "./lanes.js";
import { depths, type NextStepRecall } from "./measure-next-steps.js";
import type { QuestionRecall } from "./measure-questions.js";
import type { QueryName } from "./next-steps.js";
import { published } from "./published.js";

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
      ...depths.map((depth) => `in ${depth} steps`),
      ...depths.map((depth) => `in ${depth} hits`),
      "tokens of 10 hits",
    ],
    rows: recalls.map(({ lane, query, steps, passages, tokens }) => [
      lane,
      queryNames[query],
      ...steps.map(show),
      ...passages.map(show),
      Math.round(tokens),
    ]),
    note:
      `Far evidence: strings of the next call's arguments that were last seen more than ten steps before. Searched are the steps ` +
      `older than ten, where there are 20 or more. In 5 steps: the string is in one of the first five steps, each ` +
      `taken whole; in 5 hits: in the passages themselves. Mean over steps with a 95 % bootstrap interval; ` +
      `${Math.max(...counts)} or fewer steps, less where the agent said nothing. The control is drawn five times. Its own words are ` +
      `what the agent wrote in that step: a search with them is a call of the tool, and not possible before the step is made.`,
  };
}

/** Returns what each lane finds of the turns that answer questions. */
export function questionTable(name: string, recalls: readonly QuestionRecall[]): Table {
  return {
    title: `${name}: turns that answer a question`,
    columns: ["searched by", ...depths.map((depth) => `in ${depth} turns`)],
    rows: recalls.map(({ lane, evidence }) => [lane, ...evidence.map(show)]),
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

/** Compares `search_history` with the agent's own words to BM25, with those words and with the query that was published. */
export function nextStepComparisons(name: string, recalls: readonly NextStepRecall[]): readonly Comparison[] {
  const at5 = (lane: string, query: QueryName) =>
    recalls.find((one) => one.lane === lane && one.query === query)?.steps[0]?.mean ?? Number.NaN;
  const rivalsWith = (query: QueryName) =>
    rivals.map((lane) => ({ name: `${queryNames[query]}, ${lane}`, value: at5(lane, query) }));
  return [
    {
      measure: `far evidence of the next call found in 5 steps by search_history, ${name}`,
      unit: "share",
      better: "higher",
      ours: at5(tool.name, "ownWords"),
      rivals: [...rivalsWith("ownWords"), ...rivalsWith("published")],
      margin: 0.03,
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

function show(estimate: Estimate | undefined): string {
  if (estimate === undefined) return "–";
  return `${estimate.mean.toFixed(3)} (${estimate.low.toFixed(2)}–${estimate.high.toFixed(2)})`;
}
