import type { Comparison, Table } from "../suite.js";
import { groupsOf } from "../metrics/groups-of.js";
import { fullBill, type CostRow } from "./cost-row.js";
import { meetings, sameRecall, type Meeting, type Point } from "./pareto-front.js";
import { percent } from "../report/format-value.js";
import { tableOf } from "../report/table-of.js";

/** A row as a point, its bill relative to full history. */
export interface CostPoint extends Point {
  readonly row: CostRow;
}

/** The rows of one set in one window. */
export interface CostFront {
  readonly set: string;
  readonly window: number;
  /** Calls of one setting. */
  readonly calls: number;
  readonly ours: readonly CostPoint[];
  readonly others: readonly CostPoint[];
}

/** Returns the points of every set and window. A prompt without a budget that does not fit the window is no choice there. */
export function costFronts(rows: readonly CostRow[]): readonly CostFront[] {
  return groupsOf(rows, ({ set, window }) => `${window} ${set}`).flatMap(([, own]) => {
    const [first] = own;
    if (first === undefined) return [];
    const points = own
      .filter(({ peak, isBounded }) => isBounded || peak <= first.window)
      .map((row) => ({ row, bill: row.whole / fullBill(row, own), recall: row.recall }));
    const { set, window, calls } = first;
    const ours = points.filter(({ row }) => row.isOurs);
    return [{ set, window, calls, ours, others: points.filter(({ row }) => !row.isOurs) }];
  });
}

/** What is compared, on both sides: the first is what the suite requires. */
const kinds = {
  "goal and rules kept, summaries paid": (row: CostRow) => row.author === "model" && keepsGoal(row),
  "summaries paid on both sides": (row: CostRow) => row.author === "model",
  "any setting": () => true,
} as const;

type Kind = keyof typeof kinds;

/** A prompt without the goal or the user's rules is cheaper by them: no recall of other strings makes up for it. */
function keepsGoal({ goal, constraints }: CostRow): boolean {
  const most = 1 - sameRecall;
  // A run whose user states no rule has no share.
  return goal >= most && !(constraints < most);
}

/**
 * Returns our bill at the recall of each setting on the others' front: the point where it compares worst. Where none of our
 * settings has the recall of one of theirs, no bill is compared but the highest recall.
 */
export function frontComparisons(fronts: readonly CostFront[]): readonly Comparison[] {
  return (Object.keys(kinds) as Kind[]).flatMap((kind) =>
    fronts.flatMap((front) => {
      const worst = worstOf(front, kind);
      if (worst === undefined) return [];
      const { theirs, ours } = worst;
      const where = `${kind}, window of ${front.window / 1_000}k, ${front.set}`;
      if (ours !== undefined) return [billBeside(theirs, ours, where)];
      return [recallBeside(theirs, pointsOf(front.ours, kind), where)];
    }),
  );
}

function pointsOf(points: readonly CostPoint[], kind: Kind): readonly CostPoint[] {
  return points.filter(({ row }) => kinds[kind](row));
}

/** Bills count as level up to this share of the one that is compared. */
const margin = 0.02;

function billBeside(theirs: CostPoint, ours: CostPoint, where: string): Comparison {
  return {
    measure: `bill at a recall of ${theirs.recall.toFixed(3)}, where it compares worst, ${where}`,
    unit: "ratio",
    better: "lower",
    ours: ours.bill,
    rivals: [{ name: nameOf(theirs.row), value: theirs.bill }],
    margin: margin * theirs.bill,
  };
}

function recallBeside(theirs: CostPoint, ours: readonly CostPoint[], where: string): Comparison {
  return {
    measure: `highest recall of a setting, at any bill, ${where}`,
    unit: "share",
    better: "higher",
    ours: Math.max(...ours.map(({ recall }) => recall)),
    rivals: [{ name: `${nameOf(theirs.row)}, bill ${theirs.bill.toFixed(2)}`, value: theirs.recall }],
    margin: sameRecall,
  };
}

function meetingsOf({ ours, others }: CostFront, kind: Kind): readonly Meeting<CostPoint>[] {
  return meetings(pointsOf(ours, kind), pointsOf(others, kind));
}

/** Returns the highest recall that none of ours has, or else the point of their front where our bill is the largest share of theirs. */
function worstOf(front: CostFront, kind: Kind): Meeting<CostPoint> | undefined {
  const all = meetingsOf(front, kind);
  const shareOf = ({ theirs, ours }: Meeting<CostPoint>) => (ours?.bill ?? Infinity) / theirs.bill;
  return (
    all.findLast(({ ours }) => ours === undefined) ??
    all.toSorted((one, other) => shareOf(other) - shareOf(one)).at(0)
  );
}

/**
 * True where, at each recall on the front of the others that pay for summaries and keep goal and rules, our bill is theirs or
 * less, within the margin.
 */
export function isOnFront(front: CostFront): boolean {
  return meetingsOf(front, "goal and rules kept, summaries paid").every(
    ({ theirs, ours }) => ours !== undefined && ours.bill <= (1 + margin) * theirs.bill,
  );
}

/** Returns each setting on the others' front beside our cheapest of the same recall. */
export function frontTable(fronts: readonly CostFront[]): Table {
  const met = (Object.keys(kinds) as Kind[]).flatMap((kind) =>
    fronts.flatMap((front) => meetingsOf(front, kind).map((meeting) => ({ kind, front, ...meeting }))),
  );
  return tableOf(met, {
    title: "The bill at equal recall: the others' Pareto front beside our cheapest setting",
    columns: [
      ["set", ({ front }) => front.set],
      ["window", ({ front }) => front.window],
      ["compared", ({ kind }) => kind],
      ["on their front", ({ theirs }) => nameOf(theirs.row)],
      ["recall", ({ theirs }) => theirs.recall.toFixed(3)],
      ["with the goal", ({ theirs }) => percent(theirs.row.goal, 0)],
      ["bill", ({ theirs }) => theirs.bill.toFixed(3)],
      ["ours", ({ ours }) => (ours === undefined ? "none has that recall" : nameOf(ours.row))],
      ["recall", ({ ours }) => ours?.recall.toFixed(3) ?? "–"],
      ["with the goal", ({ ours }) => percent(ours?.row.goal, 0)],
      ["bill", ({ ours }) => ours?.bill.toFixed(3) ?? "–"],
      ["share of theirs", ({ theirs, ours }) => (ours ? percent(ours.bill / theirs.bill, 0) : "behind")],
    ],
    note:
      "On the front: no other setting of theirs has at least that recall for less. Ours: the cheapest with at least that recall, within half a point. Bills of " +
      "full history = 1, with summaries and what has to be read again. Goal and rules kept: in 99.5 % of the prompts; it is what the suite requires, and no row means that no setting of theirs keeps them. Paid: a scripted model that is billed writes 40 lines for every system. Any setting: extracted summaries and " +
      "policies without summaries as well. What has no budget and does not fit the window is left out.",
  });
}

function nameOf({ system, setting }: CostRow): string {
  return setting === "–" ? system : `${system}, ${setting}`;
}
