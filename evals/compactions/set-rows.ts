import type { Held, MeasuredCompaction } from "./measure-compaction.js";
import { predictionsOf, type Prediction } from "./predictions.js";
import { shareOf, sumOf } from "../metrics/sum-of.js";

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
  const all = {
    strings: sumOf(measured, ({ strings }) => strings),
    receivedAgain: sumOf(measured, ({ rework }) => rework.tokens),
    calls: sumOf(measured, ({ rework }) => rework.again),
  };
  const rows = (measured[0]?.held ?? []).map(({ way, size }, at): WayRow => {
    const own = measured.map(({ held }) => held[at] as Held);
    const ofAll = (what: keyof typeof all) =>
      shareOf(
        sumOf(own, (held) => held[what]),
        all[what],
      );
    return {
      way,
      size,
      tokens: sumOf(own, ({ tokens }) => tokens) / measured.length,
      strings: ofAll("strings"),
      receivedAgain: ofAll("receivedAgain"),
      calls: ofAll("calls"),
    };
  });
  return { set, measured, strings: all.strings, rows, predictions: predictionsOf(set, measured) };
}

export function rowOf({ rows }: SetRows, way: string, size: Held["size"]): WayRow | undefined {
  return rows.find((row) => row.way === way && row.size === size);
}
