import { lastUpTo, type CallPositions } from "../../shared/call-positions.js";
import type { CallSpan } from "../../shared/why-view.js";
import type { StepRow } from "../../view.js";

/** Returns spans of calls for spans of rows. A span without a call is left out. Pure. */
export function callSpans(
  spans: readonly (readonly [number, number])[],
  rows: readonly StepRow[],
  { stops, counts, all }: CallPositions,
): readonly CallSpan[] {
  if (all === 0) return [];
  return spans.flatMap(([from, to]) => {
    const [first, last] = [lastUpTo(stops, from - 1) + 1, lastUpTo(stops, to)];
    const [start, end] = [stops[first], stops[last]];
    if (start === undefined || end === undefined || first > last) return [];
    return [[(counts[start] ?? 1) - (rows[start]?.calls.length ?? 1) + 1, counts[end] ?? 1] as const];
  });
}
