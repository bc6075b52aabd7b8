import type { Dialogue } from "../data/dialogue.js";
import { readBeam } from "../data/read-dialogues.js";
import { measureRanking, type RankingRecall } from "../locomo/measure-ranking.js";
import { searchHistory } from "../locomo/product-rankings.js";
import { bm25, oracle, recency, type Ranking } from "../locomo/rankings.js";
import { recallTable } from "../locomo/report-locomo.js";
import type { Comparison, Suite, Table } from "../suite.js";
import { generateUpdates } from "./generate-updates.js";
import { measureUpdates, type UpdateRecall } from "./measure-updates.js";
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
  const updates: UpdateRecall[] = [];
  for (const [at, ranking] of rankings.entries()) {
    progress(`${at}/${rankings.length} ${ranking.name}`);
    recalls.push(...(await measureRanking(dialogues, ranking, { budgets })));
    updates.push(...(await measureUpdates(dialogues, ranking, budgets)));
  }
  const counted = await countNotes(dialogues);
  const whole = evidenceOf(recalls, searchHistory);
  const passed =
    counted.resolved === counted.all &&
    evidenceOf(recalls, notesAndSearch) >= whole - margin &&
    evidenceOf(recalls, searchAcross) >= whole - margin &&
    staleOf(updates, searchAcross) <= mostStale;
  return {
    suite: "notes",
    question: "What does a new thread know of the earlier threads of its user?",
    cases: dialogues.reduce((sum, { questions }) => sum + questions.length, 0),
    passed,
    tables: [
      recallTable(recalls, { kind: "evidence", name, budgets }),
      updateTable(updates, name),
      noteTable(counted),
    ],
    charts: [],
    comparisons: comparisons(recalls, updates, name),
    numbers: { recalls, updates, notes: counted },
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

function updateTable(updates: readonly UpdateRecall[], name: string): Table {
  return {
    title: `${name}: values that changed`,
    columns: [
      "shown first",
      ...budgets.map((budget) => `${budget.toLocaleString("en")} tokens: new, old alone`),
    ],
    rows: rankings.map((ranking) => [
      ranking.name,
      ...budgets.map((budget) => {
        const one = updates.find((update) => update.ranking === ranking.name && update.budget === budget);
        return `${one?.newer} of ${one?.questions}, ${one?.stale}`;
      }),
    ]),
    note:
      "Questions for which a turn with the new value is shown; and those for which a turn with the old value is shown and none " +
      "with the new one.",
  };
}

function evidenceOf(recalls: readonly RankingRecall[], { name }: Ranking): number {
  return recalls.find((one) => one.ranking === name && one.budget === compared)?.evidence?.mean ?? 0;
}

function staleOf(updates: readonly UpdateRecall[], { name }: Ranking): number {
  const one = updates.find((update) => update.ranking === name && update.budget === compared);
  return (one?.stale ?? 0) / Math.max(1, one?.questions ?? 0);
}

function comparisons(
  recalls: readonly RankingRecall[],
  updates: readonly UpdateRecall[],
  name: string,
): readonly Comparison[] {
  const rivals = [searchHistory, bm25, recency];
  return [
    {
      measure: `evidence at 4k tokens across threads, ${name}`,
      unit: "share",
      better: "higher",
      ours: evidenceOf(recalls, notesAndSearch),
      rivals: rivals.map((ranking) => ({ name: ranking.name, value: evidenceOf(recalls, ranking) })),
      margin,
    },
    {
      measure: `old values alone at 4k tokens across threads, ${name}`,
      unit: "share",
      better: "lower",
      ours: staleOf(updates, searchAcross),
      rivals: [searchHistory, bm25].map((ranking) => ({
        name: ranking.name,
        value: staleOf(updates, ranking),
      })),
      margin: mostStale,
    },
  ];
}
