import type { Estimate } from "../metrics/estimate.js";
import type { Standing } from "../report/verdict.js";
import { billDifference, recallDifference, type TableRow } from "./table-row.js";

/** Where one row stands beside another: level where the interval of the difference has zero in it. */
export interface Standings {
  readonly recall: Standing;
  readonly bill: Standing;
}

/** Returns where a row stands beside another over the same runs. */
export function standingsOf(one: TableRow, other: TableRow): Standings {
  return {
    recall: standingOf(recallDifference(one, other), "higher"),
    bill: standingOf(billDifference(one, other), "lower"),
  };
}

/** True where another row has at least the recall for at most the bill, and one of the two differences is more than noise. */
export function isDominated(one: TableRow, other: TableRow): boolean {
  const { recall, bill } = standingsOf(one, other);
  const isNoBetter = one.recall.mean <= other.recall.mean && one.bill.mean >= other.bill.mean;
  return isNoBetter && (recall === "behind" || bill === "behind");
}

/** True for a row that a run can be made with: each prompt is in the window, and there is one. */
export function isPlayable({ unfit }: TableRow): boolean {
  return unfit === 0;
}

function standingOf({ low, high }: Estimate, better: "higher" | "lower"): Standing {
  if (low <= 0 && high >= 0) return "level";
  return low > 0 === (better === "higher") ? "ahead" : "behind";
}
