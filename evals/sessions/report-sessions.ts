import { basename } from "node:path";
import type { Table } from "../suite.js";
import type { CheckedImport } from "./check-import.js";
import { tableOf } from "../report/table-of.js";

/** The imports of a set. */
export interface ImportRow {
  readonly set: string;
  readonly sessions: readonly CheckedImport[];
  /** Processor time of reading and writing all of them. */
  readonly cpuSeconds: number;
  readonly bytes: number;
}

/** What a search finds in one half of a set. */
export interface SearchRow {
  readonly set: string;
  readonly half: "first" | "second";
  readonly asked: number;
  readonly found: number;
  readonly measure:
    | "needle in the first three"
    | "needle in their text"
    | "meeting first"
    | "meeting in the first five";
}

/** Least shares: of needles whose message is among the first three hits, and of questions that the first hit's meeting answers. */
const leastShares = {
  "needle in the first three": 0.95,
  "needle in their text": 0,
  "meeting first": 0.75,
  "meeting in the first five": 0.9,
};

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
      ["records", ({ sessions }) => sum(sessions, ({ records }) => records)],
      ["unaccounted", ({ sessions }) => sum(sessions, ({ unaccounted }) => unaccounted)],
      [
        "unknown",
        ({ sessions }) => sum(sessions, ({ unknown }) => Object.values(unknown).reduce((a, b) => a + b, 0)),
      ],
      ["broken", ({ sessions }) => sum(sessions, ({ broken }) => broken.length)],
      [
        "texts lost",
        ({ sessions }) =>
          `${sum(sessions, ({ lostTexts }) => lostTexts)} of ${sum(sessions, ({ texts }) => texts)}`,
      ],
      ["same file", ({ sessions }) => sessions.filter(({ isSameFile }) => isSameFile).length],
      ["same thread", ({ sessions }) => sessions.filter(({ isSameThread }) => isSameThread).length],
      ["MB per CPU second", ({ cpuSeconds, bytes }) => Number((bytes / 1e6 / cpuSeconds).toFixed(1))],
    ],
    note: notWhole(rows),
  });
}

function sum(list: readonly CheckedImport[], of: (one: CheckedImport) => number): number {
  return list.reduce((total, one) => total + of(one), 0);
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
