import { groupsOf } from "../metrics/groups-of.js";
import { mean } from "../metrics/quantile.js";
import { shareOf, sumOf } from "../metrics/sum-of.js";
import type { Held, MeasuredCompaction } from "./measure-compaction.js";
import {
  discriminate,
  fitWeights,
  fixedWeights,
  scoreWith,
  type Prediction,
  type Score,
} from "./predict-rework.js";

/** A set, its compactions and what they sum up to. */
export interface SetRows {
  readonly set: string;
  readonly measured: readonly MeasuredCompaction[];
  readonly sessions: number;
  /** Strings that later calls used. */
  readonly strings: number;
  /** Each way at each size: mean tokens, and shares of the strings used later, of tokens and of calls made again. */
  readonly rows: readonly Held[];
  readonly predictions: readonly Prediction[];
  /** That of our score for the sessions that it was not fitted on. */
  readonly heldOut: Prediction | undefined;
}

const ourScore = "what is missing, fixed weights";

/** Returns the sums of a set. */
export function rowsOf(set: string, measured: readonly MeasuredCompaction[]): SetRows {
  const all = {
    strings: sumOf(measured, ({ strings }) => strings),
    receivedAgain: sumOf(measured, ({ rework }) => rework.tokens),
    calls: sumOf(measured, ({ rework }) => rework.again),
  };
  const held = groupsOf(
    measured.flatMap((one) => one.held),
    ({ way, size }) => `${way}|${size}`,
  );
  const rows = held.map(([, own]): Held => {
    const ofAll = (what: keyof typeof all) =>
      shareOf(
        sumOf(own, (one) => one[what]),
        all[what],
      );
    const [{ way, size }] = own as readonly [Held];
    return {
      way,
      size,
      tokens: mean(own.map(({ tokens }) => tokens)),
      strings: ofAll("strings"),
      receivedAgain: ofAll("receivedAgain"),
      calls: ofAll("calls"),
    };
  });
  const predictions = predictionsOf(measured);
  return {
    set,
    measured,
    sessions: new Set(measured.map(({ session }) => session)).size,
    strings: all.strings,
    rows,
    predictions,
    heldOut: predictions.find(({ half, by }) => half === "second" && by === ourScore),
  };
}

/** Returns how well the fixed weights foretell which files are read again in both halves, those fitted on the first, and controls. */
function predictionsOf(measured: readonly MeasuredCompaction[]): readonly Prediction[] {
  const of = (half: string) => measured.filter((one) => one.half === half).flatMap(({ cases }) => cases);
  const ways: readonly (readonly [string, Score])[] = [
    [ourScore, scoreWith(fixedWeights)],
    ["refitted on the first half", scoreWith(fitWeights(of("first")))],
    ["control: tokens missing alone", ({ tokens }) => tokens],
    ["control: times named alone", ({ names }) => names],
    ["control: newest first alone", ({ age }) => -age],
  ];
  return (["first", "second"] as const).flatMap((half) =>
    ways.map(([by, score]) => ({ half, by, found: discriminate(of(half), score) })),
  );
}

export function rowOf({ rows }: SetRows, way: string, size: Held["size"]): Held | undefined {
  return rows.find((row) => row.way === way && row.size === size);
}
