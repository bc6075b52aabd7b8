import type { Dialogue } from "../data/dialogue.js";
import { readBeam } from "../data/read-dialogues.js";
import {
  evidenceAt,
  measureRanking,
  type ChangedValue,
  type RankingRecall,
} from "../locomo/measure-ranking.js";
import { searchHistory } from "../locomo/product-rankings.js";
import { bm25, oracle, recency, type Ranking } from "../locomo/rankings.js";
import { recallTable } from "../locomo/report-locomo.js";
import { sumOf } from "../metrics/sum-of.js";
import { tableOf, type Column } from "../report/table-of.js";
import type { Comparison, Suite, Table } from "../suite.js";
import { generateUpdates } from "./generate-updates.js";
import { notesAlone, notesAndSearch, searchAcross } from "./note-rankings.js";
import { remember, scope } from "./threads-of.js";

const rankings: readonly Ranking[] = [
  notesAlone,
  searchAcross,
  notesAndSearch,
  searchHistory,
  bm25,
  recency,
  oracle,
];
const budgets = [2_000, 4_000, 8_000];
/** Where notes and a search have half of the room each. */
const compared = 4_000;
/** By how much the memory across threads may find less than a search of all sessions in one thread. */
const margin = 0.02;
/** Share of the changed values of which a search across threads may show the old one alone. */
const mostStale = 0.01;

/** Measures what a new thread knows of the earlier threads of its user. */
export const notes: Suite = async ({ data, quick = false, progress }) => {
  const recorded = readBeam(data, quick ? 2 : Infinity);
  const dialogues = recorded ?? [1, 2].map((seed) => generateUpdates(seed, quick ? 4 : 8));
  const name = recorded === undefined ? "generated sessions" : "BEAM, each session a thread";
  const recalls: RankingRecall[] = [];
  for (const [at, ranking] of rankings.entries()) {
    progress(`${at}/${rankings.length} ${ranking.name}`);
    recalls.push(...(await measureRanking(dialogues, ranking, { budgets })));
  }
  const counted = await countNotes(dialogues);
  const whole = evidenceOf(recalls, searchHistory);
  const passed =
    counted.resolved === counted.all &&
    evidenceOf(recalls, notesAndSearch) >= whole - margin &&
    evidenceOf(recalls, searchAcross) >= whole - margin &&
    staleOf(recalls, searchAcross) <= mostStale;
  return {
    suite: "notes",
    question: "What does a new thread know of the earlier threads of its user?",
    cases: sumOf(dialogues, ({ questions }) => questions.length),
    passed,
    tables: [recallTable({ name, recalls }, budgets), updateTable(recalls, name), noteTable(counted)],
    charts: [],
    comparisons: comparisons(recalls, name),
    numbers: { recalls, notes: counted },
  };
};

interface NoteCount {
  readonly all: number;
  /** Notes whose words stand in the line that they name. */
  readonly resolved: number;
}

async function countNotes(dialogues: readonly Dialogue[]): Promise<NoteCount> {
  let [all, resolved] = [0, 0];
  for (const dialogue of dialogues) {
    const { memory: own } = await remember(dialogue);
    const tree = own.backend(scope);
    for (const { text, path, line } of await own.notes(scope, Infinity)) {
      const { data } = await tree.readRaw(path.slice("/threads".length));
      const said = String(data?.content).split("\n")[line - 1] ?? "";
      all += 1;
      if (said.includes(text)) resolved += 1;
    }
  }
  return { all, resolved };
}

function noteTable({ all, resolved }: NoteCount): Table {
  return {
    title: "Notes and their sources",
    columns: ["notes", "with their words in the line that they name"],
    rows: [[all, resolved]],
  };
}

function updateTable(recalls: readonly RankingRecall[], name: string): Table {
  return tableOf(rankings, {
    title: `${name}: values that changed`,
    columns: [
      ["shown first", (ranking) => ranking.name],
      ...budgets.map((budget): Column<Ranking> => [
        `${budget.toLocaleString("en")} tokens: new, old alone`,
        (ranking) => {
          const changed = changedAt(recalls, ranking, budget);
          return `${countOf(changed, "new")} of ${changed.length}, ${countOf(changed, "old alone")}`;
        },
      ]),
    ],
    note:
      "Questions for which a turn with the new value is shown; and those for which a turn with the old value is shown and none " +
      "with the new one.",
  });
}

function changedAt(
  recalls: readonly RankingRecall[],
  { name }: Ranking,
  budget: number,
): readonly ChangedValue[] {
  return recalls.find((one) => one.ranking === name && one.budget === budget)?.changed ?? [];
}

function countOf(changed: readonly ChangedValue[], value: ChangedValue): number {
  return changed.filter((one) => one === value).length;
}

function evidenceOf(recalls: readonly RankingRecall[], { name }: Ranking): number {
  return evidenceAt(recalls, name, compared)?.mean ?? 0;
}

/** Returns the share of the values that changed of which the old one alone is shown. */
function staleOf(recalls: readonly RankingRecall[], ranking: Ranking): number {
  const changed = changedAt(recalls, ranking, compared);
  return countOf(changed, "old alone") / Math.max(1, changed.length);
}

function comparisons(recalls: readonly RankingRecall[], name: string): readonly Comparison[] {
  const beside = (rivals: readonly Ranking[], value: typeof evidenceOf) =>
    rivals.map((ranking) => ({ name: ranking.name, value: value(recalls, ranking) }));
  return [
    {
      measure: `evidence at 4k tokens across threads, ${name}`,
      unit: "share",
      better: "higher",
      ours: evidenceOf(recalls, notesAndSearch),
      rivals: beside([searchHistory, bm25, recency], evidenceOf),
      margin,
    },
    {
      measure: `old values alone at 4k tokens across threads, ${name}`,
      unit: "share",
      better: "lower",
      ours: staleOf(recalls, searchAcross),
      rivals: beside([searchHistory, bm25], staleOf),
      margin: mostStale,
    },
  ];
}
