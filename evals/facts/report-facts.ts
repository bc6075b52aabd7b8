import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";
import type { Comparison, Table } from "../suite.js";
import type { FactRow, FactShares } from "./fact-row.js";

/** Returns what each system shows in a window. */
export function factTable(rows: readonly FactRow[]): Table {
  return tableOf(rows, {
    title: `Facts in sight, window of ${(rows[0]?.window ?? 0) / 1_000}k`,
    columns: [
      ["system", ({ system }) => system],
      ["seen in", ({ seenIn }) => (seenIn === "its context" ? seenIn : `its context and one ${seenIn}`)],
      ["newest value", ({ newest }) => percent(newest, 0)],
      ["old value alone", ({ stale }) => percent(stale, 0)],
      ["facts of a topic", ({ ofTopic }) => percent(ofTopic, 0)],
      ["topics complete", ({ topics }) => percent(topics, 0)],
      ["events in order", ({ events }) => percent(events, 0)],
    ],
    note:
      "Generated sessions of notes. A scripted summary is by the model of langchain and deepagents: the newest lines of what it is shown; an extracted one needs no model. Old value alone: share of the facts with a newer value of which an old value stands there and the newest does not; " +
      "lower is better. Its context: mean over the ends of the sessions. One grep: for words that stand beside the facts, which an agent has to " +
      "know; what it finds stands where the context names its file, and before the context where it does not. One search_history: with the question, 20 passages, within the characters that the tool answers.",
  });
}

type Measured = readonly [
  measure: string,
  seenIn: FactRow["seenIn"],
  better: Comparison["better"],
  value: keyof FactShares,
];

const measures: readonly Measured[] = [
  ["superseded facts whose old value stands alone in the context", "its context", "lower", "stale"],
  ["newest values in sight", "its context", "higher", "newest"],
  ["newest values in sight after one grep", "grep", "higher", "newest"],
  ["topics complete after one grep", "grep", "higher", "topics"],
  ["events complete and in order after one grep", "grep", "higher", "events"],
];

/** Compares a system of ours with the others in a window that have what is measured. */
export function comparisonsOf(ours: string, rows: readonly FactRow[]): readonly Comparison[] {
  return measures.flatMap(([measure, place, better, value]) => {
    const there = rows.filter(({ seenIn }) => seenIn === place);
    const rivals = there.filter(({ system, isControl }) => !isControl && !system.startsWith("Palimpsest"));
    return there
      .filter(({ system }) => system === ours)
      .map((row) => ({
        measure: `${measure}, ${ours}, window of ${row.window / 1_000}k`,
        unit: "share" as const,
        better,
        ours: row[value],
        rivals: rivals.map((rival) => ({ name: rival.system, value: rival[value] })),
        margin: 0.02,
      }));
  });
}
