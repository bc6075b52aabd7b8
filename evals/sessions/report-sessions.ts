import { basename } from "node:path";
import type { Table } from "../suite.js";
import type { CheckedImport } from "./check-import.js";
import { sumOf } from "../metrics/sum-of.js";
import { tableOf } from "../report/table-of.js";

/** The imports of a set. */
export interface ImportRow {
  readonly set: string;
  readonly sessions: readonly CheckedImport[];
  /** Processor time of reading and writing all of them. */
  readonly cpuSeconds: number;
  readonly bytes: number;
}

/** Least shares: of needles whose message is among the first three hits, and of questions that the first hit's meeting answers. */
const leastShares = {
  "needle in the first three": 0.95,
  "needle in their text": 0,
  "meeting first": 0.75,
  "meeting in the first five": 0.9,
};

type Measure = keyof typeof leastShares;

/** What a search finds in one half of a set. */
export interface SearchRow {
  readonly set: string;
  readonly half: string;
  readonly asked: number;
  readonly found: number;
  readonly measure: Measure;
}

/** What came of one search: the session that was asked about, and whether it was found by each of two measures. */
export interface Answer {
  readonly at: number;
  readonly found: readonly [boolean, boolean];
}

/** Returns the rows of a set: every second session is in its second half. A half that was not asked has none. Pure. */
export function searchRows(
  set: string,
  measures: readonly [Measure, Measure],
  answers: readonly Answer[],
): readonly SearchRow[] {
  return ["first", "second"].flatMap((half, odd) => {
    const own = answers.filter(({ at }) => at % 2 === odd);
    if (own.length === 0) return [];
    return measures.map((measure, which) => {
      const found = own.filter((one) => one.found[which]).length;
      return { set, half, measure, asked: own.length, found };
    });
  });
}

export function isWhole({ isSameFile, isSameThread, lostTexts, unaccounted }: CheckedImport): boolean {
  return isSameFile && isSameThread && lostTexts + unaccounted === 0;
}

/** Returns true if a measured half is too small to tell, or within the bar. */
export function holds({ measure, asked: count, found }: SearchRow): boolean {
  return count < 40 || found / count >= leastShares[measure];
}

export function importTable(rows: readonly ImportRow[]): Table {
  return tableOf(rows, {
    title: "Import of sessions",
    columns: [
      ["set", ({ set }) => set],
      ["sessions", ({ sessions }) => sessions.length],
      ["MB", ({ bytes }) => Number((bytes / 1e6).toFixed(1))],
      ["records", ({ sessions }) => sumOf(sessions, ({ records }) => records)],
      ["unaccounted", ({ sessions }) => sumOf(sessions, ({ unaccounted }) => unaccounted)],
      [
        "unknown",
        ({ sessions }) =>
          sumOf(
            sessions.flatMap(({ unknown }) => Object.values(unknown)),
            (count) => count,
          ),
      ],
      ["broken", ({ sessions }) => sumOf(sessions, ({ broken }) => broken.length)],
      [
        "texts lost",
        ({ sessions }) =>
          `${sumOf(sessions, ({ lostTexts }) => lostTexts)} of ${sumOf(sessions, ({ texts }) => texts)}`,
      ],
      ["same file", ({ sessions }) => sessions.filter(({ isSameFile }) => isSameFile).length],
      ["same thread", ({ sessions }) => sessions.filter(({ isSameThread }) => isSameThread).length],
      ["MB per CPU second", ({ cpuSeconds, bytes }) => Number((bytes / 1e6 / cpuSeconds).toFixed(1))],
    ],
    note: notWhole(rows),
  });
}

function notWhole(rows: readonly ImportRow[]): string {
  const names = rows.flatMap(({ sessions }) =>
    sessions.filter((one) => !isWhole(one)).map(({ file }) => basename(file)),
  );
  const rule =
    "The file from the archive is compared byte for byte, the unfolded threads message by message; texts are looked for without the reader.";
  return names.length === 0 ? rule : `${rule} Not whole: ${names.join(", ")}.`;
}

export function searchTable(rows: readonly SearchRow[]): Table {
  return tableOf(rows, {
    title: "What an agent finds with search_history",
    columns: [
      ["set", ({ set }) => set],
      ["half", ({ half }) => half],
      ["measure", ({ measure }) => measure],
      ["asked", ({ asked: count }) => count],
      ["found", ({ found }) => found],
      ["share", ({ asked: count, found }) => (found / count).toFixed(3)],
    ],
    note: "Every second session of a set, and every second conversation, is in its second half: settings are chosen on the first.",
  });
}
