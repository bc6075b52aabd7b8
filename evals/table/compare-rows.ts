import type { Estimate } from "../metrics/estimate.js";
import type { Comparison } from "../suite.js";
import type { Picked } from "./picks.js";
import { isDominated, isPlayable } from "./standing.js";
import { palimpsest } from "./systems/palimpsest.js";
import { billDifference, recallDifference, type TableRow } from "./table-row.js";

/** Returns the row of the compaction node. */
export function oursOf({ rows, set }: Picked): TableRow {
  const ours = rows.find(({ system }) => system === palimpsest);
  if (ours === undefined) throw new Error(`${palimpsest.name} was not played on ${set}`);
  return ours;
}

/** Returns the rows of others whose prompts all fit the window. */
export function rivalsOf({ rows }: Picked): readonly TableRow[] {
  return rows.filter((row) => row.system.isOurs !== true && isPlayable(row));
}

/** Returns the rivals that are ahead of ours in recall or bill, and behind in neither. */
export function dominatorsOf(picked: Picked): readonly TableRow[] {
  return rivalsOf(picked).filter((rival) => isDominated(oursOf(picked), rival));
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

interface Measure extends Pick<Comparison, "better" | "unit"> {
  readonly value: (row: TableRow) => Estimate;
  readonly difference: (one: TableRow, other: TableRow) => Estimate;
}

const billMeasure: Measure = {
  better: "lower",
  unit: "ratio",
  value: ({ bill }) => bill,
  difference: billDifference,
};

const recallMeasure: Measure = {
  better: "higher",
  unit: "share",
  value: ({ recall }) => recall,
  difference: recallDifference,
};

interface Sides {
  readonly ours: TableRow;
  readonly rivals: readonly TableRow[];
}

/** Nothing is compared without a rival. */
function compared(measure: string, how: Measure, { ours, rivals }: Sides): readonly Comparison[] {
  const { better, unit, value, difference } = how;
  const sign = better === "higher" ? -1 : 1;
  const [best] = rivals.toSorted((one, other) => sign * (value(one).mean - value(other).mean));
  if (best === undefined) return [];
  return [
    {
      measure,
      unit,
      better,
      ours: value(ours).mean,
      rivals: rivals.map((rival) => ({ name: rival.system.name, value: value(rival).mean })),
      margin: halfWidth(difference(ours, best)),
    },
  ];
}

/** Differences in the interval of the difference, call by call, count as none. */
function halfWidth({ low, high }: Estimate): number {
  return (high - low) / 2;
}
