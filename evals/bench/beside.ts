import type { Column } from "../report/table-of.js";
import type { Comparison } from "../suite.js";

/** What a bench measured of a system at one of its sizes. */
interface Measured {
  readonly system: string;
  /** Messages, tokens, or a load by its name. */
  readonly size: number | string;
}

/** True for a system of ours: its name begins with ours. */
export function isOurs({ system }: Pick<Measured, "system">): boolean {
  return system.startsWith("Palimpsest");
}

/** Returns a column of the ratios of a value to ours of the same size; ours is the first system that was measured. Pure. */
export function toOurs<Row extends Measured>(rows: readonly Row[], value: (row: Row) => number): Column<Row> {
  const ours = (row: Row) => rows.find(({ size }) => size === row.size) ?? row;
  return ["to ours", (row) => timesOurs(value(row), value(ours(row)))];
}

/** Returns a comparison of our first system with those of others, all of one size: less is better. Pure. */
export function besideOthers<Row extends Measured>(
  rows: readonly Row[],
  value: (row: Row) => number,
  named: Pick<Comparison, "measure" | "unit">,
): Comparison {
  const [ours = Number.NaN] = rows.map(value);
  const others = rows.filter((row) => !isOurs(row));
  return lessIsBetter({
    ...named,
    ours,
    rivals: others.map((row) => ({ name: row.system, value: value(row) })),
  });
}

/** Returns a comparison of times or sizes: less is better, and within a quarter is level. Pure. */
export function lessIsBetter(compared: Omit<Comparison, "better" | "margin">): Comparison {
  const least = Math.min(compared.ours, ...compared.rivals.map(({ value }) => value));
  return { ...compared, better: "lower", margin: 0.25 * least };
}

/** Returns another value divided by ours, to two digits. Pure. */
export function timesOurs(value: number, ours: number): string {
  return ours === 0 ? "–" : `${Number((value / ours).toPrecision(2))}×`;
}
