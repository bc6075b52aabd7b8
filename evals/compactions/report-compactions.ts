import type { Comparison, SuiteResult } from "../suite.js";
import { leastAuc, predictionTable, reworkTable, waysTable } from "./compaction-tables.js";
import { ways } from "./contexts.js";
import type { Held, MeasuredCompaction } from "./measure-compaction.js";
import { rowOf, rowsOf, type SetRows } from "./set-rows.js";
import { groupsOf } from "../metrics/groups-of.js";

/** Ours at the size of the recorded summary must show this much of what random lines show, and more than the summary. */
const overRandom = 1.5;
/** Sets with fewer tell nothing. */
const fewest = { strings: 50, sessions: 10, readAgain: 15 };

/** Returns what the suite found; holds when every set that is large enough meets every requirement. Pure. */
export function reportCompactions(measured: readonly MeasuredCompaction[]): SuiteResult {
  const sets = groupsOf(measured, ({ set }) => set).map(([set, own]) => rowsOf(set, own));
  return {
    suite: "compactions",
    question:
      "After a real compaction, what did the agent do again, and how much of it would our context have made needless?",
    cases: measured.length,
    passed: measured.length > 0 && sets.every(keepsMore) && sets.every(predicts),
    tables: [reworkTable(measured), waysTable(sets), predictionTable(sets)],
    charts: [],
    comparisons: sets.flatMap(comparisonsOf),
    tooSmall: sets.flatMap(tooSmall),
    numbers: { whole: measured, predictions: sets.map(({ set, predictions }) => ({ set, predictions })) },
  };
}

function keepsMore(set: SetRows): boolean {
  if (set.strings < fewest.strings) return true;
  const strings = (way: string) => rowOf(set, way, "recorded")?.strings ?? 0;
  return (
    strings(ways.ours) > strings(ways.recorded) && strings(ways.ours) >= overRandom * strings(ways.random)
  );
}

function isLarge({ sessions, heldOut }: SetRows): boolean {
  return sessions >= fewest.sessions && (heldOut?.found?.came ?? 0) >= fewest.readAgain;
}

function predicts(set: SetRows): boolean {
  const found = set.heldOut?.found;
  return !isLarge(set) || (found !== undefined && found.auc >= leastAuc && found.auc > found.permuted);
}

function tooSmall(set: SetRows): readonly string[] {
  const { set: name, strings, sessions, heldOut } = set;
  const few = `what the agent used after recorded compactions of ${name}: ${strings} strings.`;
  const files = `${sessions} sessions, ${heldOut?.found?.came ?? 0} such files in the held-out half.`;
  return [
    ...(strings < fewest.strings ? [few] : []),
    ...(isLarge(set) ? [] : [`which files are read again after compactions of ${name}: ${files}`]),
  ];
}

function comparisonsOf(set: SetRows): readonly Comparison[] {
  if (set.strings < fewest.strings) return [];
  const compare = (key: keyof typeof measures, size: Held["size"]): Comparison => ({
    measure: `${measures[key]}, ${set.set}, at ${size === "recorded" ? "the tokens of the recorded summary" : "default sizes"}`,
    unit: "share",
    better: "higher",
    ours: rowOf(set, ways.ours, size)?.[key] ?? 0,
    rivals: [...(size === "recorded" ? [ways.recorded] : []), ways.recency].map((way) => ({
      name: way,
      value: rowOf(set, way, size)?.[key] ?? 0,
    })),
    margin: 0.05,
  });
  return (["strings", "receivedAgain"] as const).flatMap((key) => [
    compare(key, "recorded"),
    compare(key, "default"),
  ]);
}

const measures = {
  strings: "strings used before the next compaction that stand in the context",
  receivedAgain: "tokens that the agent read again and that stand in the context",
};
