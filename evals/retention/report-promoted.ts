import type { Table } from "../suite.js";
import type { Promoted } from "./promoted.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";
import { groupsOf } from "../metrics/groups-of.js";
import { sumOf } from "../metrics/sum-of.js";

/** What one way to promote messages brings, over all runs. */
export interface PromotedRow {
  readonly way: string;
  readonly contexts: number;
  readonly facts: number;
  readonly factShare: number;
  readonly doubts: number;
  readonly doubtShare: number;
  readonly tokens: number;
  /** False where a way keeps no more of what it is for than no promotion does. */
  readonly holds: boolean;
}

/** Returns a row for each way, the one without promotion first. */
export function promotedRows(promoted: readonly Promoted[]): readonly PromotedRow[] {
  const rows = groupsOf(promoted, ({ way }) => way).map(([way, own]) => {
    const facts = sumOf(own, (one) => one.facts);
    const doubts = sumOf(own, (one) => one.doubts);
    return {
      way,
      contexts: own.length,
      facts,
      factShare: sumOf(own, (one) => one.factsKept) / facts,
      doubts,
      doubtShare: sumOf(own, (one) => one.doubtsKept) / doubts,
      tokens: sumOf(own, (one) => one.tokens) / own.length,
    };
  });
  const [none] = rows;
  return rows.map((row) => ({
    ...row,
    holds:
      none === undefined ||
      (row.way.startsWith("importance")
        ? row.factShare > none.factShare
        : !row.way.startsWith("markers") || row.doubtShare > none.doubtShare),
  }));
}

export function promotedTable(rows: readonly PromotedRow[], contextWindow: number): Table {
  return tableOf(rows, {
    title: `What importance and markers keep in sight, window of ${contextWindow} tokens, after four to twelve compactions`,
    columns: [
      ["stays whole", (row) => row.way],
      ["contexts", (row) => row.contexts],
      ["memos", (row) => row.facts],
      ["word for word", (row) => percent(row.factShare)],
      ["doubts", (row) => row.doubts],
      ["word for word", (row) => percent(row.doubtShare)],
      ["tokens", (row) => Math.round(row.tokens)],
    ],
    note:
      "Made runs: a memo of one sentence among pages of rows, and a doubt of the agent, every twelve steps. A scripted " +
      "summary model forgets most of what it reads; where summaries are extracted, both stay in sight without promotion. " +
      "Doubts are quoted by every summary, within its budget.",
  });
}
