import type { StepRow } from "../view.js";

/** Where the calls of a branch are among its rows. */
export interface CallPositions {
  /** Positions of the rows with calls, in ascending order; of all rows if there is no call. */
  readonly stops: readonly number[];
  /** For each row, how many calls there were up to it, its own among them. */
  readonly counts: Int32Array;
  readonly all: number;
}

/** Pure. */
export function callPositions(rows: readonly StepRow[]): CallPositions {
  const counts = new Int32Array(rows.length);
  const stops: number[] = [];
  let all = 0;
  for (const [at, { calls }] of rows.entries()) {
    all += calls.length;
    counts[at] = all;
    if (calls.length > 0) stops.push(at);
  }
  return { stops: all === 0 ? [...rows.keys()] : stops, counts, all };
}

/** Returns the last position in an ascending list that is not above one; -1 if all are. Pure. */
export function lastUpTo(positions: readonly number[], at: number): number {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the row with calls so many stops away; the nearest one where there is none. From a row between two, counts from between. Pure. */
export function stopFrom({ stops }: CallPositions, row: number, by: number): number {
  const at = lastUpTo(stops, row);
  const isBetween = stops[at] !== row;
  const target = at + by + (isBetween && by < 0 ? 1 : 0);
  return stops[Math.min(Math.max(target, 0), stops.length - 1)] ?? row;
}

/** Returns the first row of what led to the call of a row: the one after the call before. Pure. */
export function startOf({ stops }: CallPositions, row: number): number {
  return (stops[lastUpTo(stops, row - 1)] ?? -1) + 1;
}
