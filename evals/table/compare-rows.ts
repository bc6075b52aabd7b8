import type { Estimate } from "../metrics/estimate.js";
import type { Standing } from "../report/verdict.js";
import type { Comparison } from "../suite.js";
import type { Picked } from "./picks.js";
import { palimpsest } from "./systems/palimpsest.js";
import { billDifference, recallDifference, type TableRow } from "./table-row.js";

/** What is compared of two rows. */
interface Measure extends Pick<Comparison, "better" | "unit"> {
  readonly value: (row: TableRow) => number;
  readonly difference: (one: TableRow, other: TableRow) => Estimate;
}

export const billMeasure: Measure = {
  better: "lower",
  unit: "ratio",
  value: ({ bill }) => bill.mean,
  difference: billDifference,
};

export const recallMeasure: Measure = {
  better: "higher",
  unit: "share",
  value: ({ recall }) => recall.mean,
  difference: recallDifference,
};

/** Returns where one row stands beside another over the same runs: level where the interval of the difference has zero in it. */
export function standingOf({ difference, better }: Measure, one: TableRow, other: TableRow): Standing {
  const { low, high } = difference(one, other);
  if (low <= 0 && high >= 0) return "level";
  return low > 0 === (better === "higher") ? "ahead" : "behind";
}

/** True for a row that a run can be made with: each prompt is in the window, and there is one. */
export function isPlayable({ unfit }: TableRow): boolean {
  return unfit === 0;
}

/** Returns the row of the compaction node. */
export function oursOf({ rows, set }: Picked): TableRow {
  const ours = rows.find(({ system }) => system === palimpsest);
  if (ours === undefined) throw new Error(`${palimpsest.name} was not played on ${set}`);
  return ours;
}

/** Returns the rivals that have at least our recall for at most our bill, where one of the two differences is more than noise. */
export function dominatorsOf(picked: Picked): readonly TableRow[] {
  const ours = oursOf(picked);
  return rivalsOf(picked).filter((rival) => {
    const isNoWorse = rival.recall.mean >= ours.recall.mean && rival.bill.mean <= ours.bill.mean;
    return (
      isNoWorse && [recallMeasure, billMeasure].some((each) => standingOf(each, ours, rival) === "behind")
    );
  });
}

function rivalsOf({ rows }: Picked): readonly TableRow[] {
  return rows.filter((row) => row.system.isOurs !== true && isPlayable(row));
}

/** Bills count as the same up to this share of ours. */
const sameBill = 0.02;

/**
 * Returns our whole bill beside those of all rivals, and our recall beside those of the rivals that bill no more: a prompt
 * that costs several times as much holds more.
 */
export function pickedComparisons(picked: Picked): readonly Comparison[] {
  const { set, window, choice } = picked;
  const ours = oursOf(picked);
  const rivals = rivalsOf(picked);
  const cheap = rivals.filter(({ bill }) => bill.mean <= (1 + sameBill) * ours.bill.mean);
  const where = `${choice}, window of ${window / 1_000}k, ${set}`;
  return [
    ...compared(`whole bill, ${where}`, billMeasure, { ours, rivals }),
    ...compared(`recall of what bills no more, ${where}`, recallMeasure, { ours, rivals: cheap }),
  ];
}

interface Sides {
  readonly ours: TableRow;
  readonly rivals: readonly TableRow[];
}

/** Nothing is compared without a rival. Differences in the interval of the difference, call by call, count as none. */
function compared(measure: string, how: Measure, { ours, rivals }: Sides): readonly Comparison[] {
  const { better, unit, value, difference } = how;
  const sign = better === "higher" ? -1 : 1;
  const [best] = rivals.toSorted((one, other) => sign * (value(one) - value(other)));
  if (best === undefined) return [];
  const { low, high } = difference(ours, best);
  const others = rivals.map((rival) => ({ name: rival.system.name, value: value(rival) }));
  return [{ measure, unit, better, ours: value(ours), rivals: others, margin: (high - low) / 2 }];
}
