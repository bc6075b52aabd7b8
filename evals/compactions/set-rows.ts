import type { Held, MeasuredCompaction } from "./measure-compaction.js";
import { predictionsOf, type Prediction } from "./predictions.js";

/** One way at one size, over the compactions of a set. Shares of strings used later, of tokens and of calls made again. */
export interface WayRow {
  readonly way: string;
  readonly size: Held["size"];
  readonly tokens: number;
  readonly strings: number;
  readonly receivedAgain: number;
  readonly calls: number;
}

/** A set, its compactions and what they sum up to. */
export interface SetRows {
  readonly set: string;
  readonly measured: readonly MeasuredCompaction[];
  readonly strings: number;
  readonly rows: readonly WayRow[];
  readonly predictions: readonly Prediction[];
}

/** Returns the sums of a set. */
export function rowsOf(set: string, measured: readonly MeasuredCompaction[]): SetRows {
  const sum = (value: (one: MeasuredCompaction) => number) =>
    measured.reduce((total, one) => total + value(one), 0);
  const all = {
    strings: sum((one) => one.strings),
    receivedAgain: sum(({ rework }) => rework.tokens),
    calls: sum(({ rework }) => rework.again),
  };
  const rows = (measured[0]?.held ?? []).map(({ way, size }, at): WayRow => {
    const own = (value: (held: Held) => number) => sum(({ held }) => value(held[at] as Held));
    return {
      way,
      size,
      tokens: own(({ tokens }) => tokens) / measured.length,
      strings: shareOf(
        own(({ strings }) => strings),
        all.strings,
      ),
      receivedAgain: shareOf(
        own(({ receivedAgain }) => receivedAgain),
        all.receivedAgain,
      ),
      calls: shareOf(
        own(({ calls }) => calls),
        all.calls,
      ),
    };
  });
  return { set, measured, strings: all.strings, rows, predictions: predictionsOf(set, measured) };
}

export function rowOf({ rows }: SetRows, way: string, size: Held["size"]): WayRow | undefined {
  return rows.find((row) => row.way === way && row.size === size);
}

/** Where nothing was wanted, every context holds all of it. */
function shareOf(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
