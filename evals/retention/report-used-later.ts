import type { Comparison, Table } from "../suite.js";
import { ways, type UsedLater } from "./used-later.js";
import { percent } from "../report/format-value.js";

/** Ours must show more than the recorded summary, and this much of what random lines of the same size show. */
const wantedOverRandom = 1.5;
/** Strings below which the recorded compactions of a set are too few to tell. */
const fewest = 50;

/** One way on one set of runs. */
export interface LaterRow {
  readonly set: string;
  readonly size: UsedLater["size"];
  readonly way: string;
  readonly atoms: number;
  readonly share: number;
  readonly tokens: number;
}

const keyOf = ({ set, size, way }: UsedLater) => JSON.stringify([set, size, way]);

/** Returns a row for each set, size and way. Sets are never pooled: they differ by more than the ways do. */
export function laterRows(later: readonly UsedLater[]): readonly LaterRow[] {
  return [...new Set(later.map(keyOf))].map((key) => {
    const own = later.filter((one) => keyOf(one) === key);
    const { set, size, way } = own[0] as UsedLater;
    const sum = (value: (one: UsedLater) => number) => own.reduce((total, one) => total + value(one), 0);
    const atoms = sum((one) => one.atoms);
    const share = atoms === 0 ? 1 : sum((one) => one.visible) / atoms;
    return { set, size, way, atoms, share, tokens: sum((one) => one.tokens) / own.length };
  });
}

/** The shares of the ways on one set, at one size. */
interface SetOfWays {
  readonly set: string;
  readonly size: UsedLater["size"];
  readonly atoms: number;
  readonly share: (way: string) => number;
}

function setsOf(rows: readonly LaterRow[], size: UsedLater["size"]): readonly SetOfWays[] {
  return [...new Set(rows.map(({ set }) => set))].map((set) => {
    const own = rows.filter((row) => row.set === set && row.size === size);
    return {
      set,
      size,
      atoms: own[0]?.atoms ?? 0,
      share: (way) => own.find((row) => row.way === way)?.share ?? 0,
    };
  });
}

/** Returns true if every set with enough strings meets the requirements at the size of the recorded summary. */
export function laterHolds(rows: readonly LaterRow[]): boolean {
  return setsOf(rows, "recorded")
    .filter(({ atoms }) => atoms >= fewest)
    .every(
      ({ share }) =>
        share(ways.ours) > share(ways.recorded) && share(ways.ours) >= wantedOverRandom * share(ways.random),
    );
}

/** Returns what the report says of sets that are too small. */
export function tooFew(rows: readonly LaterRow[]): readonly string[] {
  return setsOf(rows, "recorded")
    .filter(({ atoms }) => atoms < fewest)
    .map(({ set, atoms }) => `what the agent used after recorded compactions of ${set}: ${atoms} strings.`);
}

const sizeNames = { recorded: "of the recorded summary", default: "default" } as const;

export function laterTable(rows: readonly LaterRow[]): Table {
  return {
    title: "Strings used after a recorded compaction that occurred only in what was folded",
    columns: ["runs", "size", "replaced by", "strings", "visible at once", "tokens of four characters"],
    rows: rows.map(({ set, size, way, atoms, share, tokens }) => [
      set,
      sizeNames[size],
      way,
      atoms,
      percent(share),
      Math.round(tokens),
    ]),
    note:
      "Everything in sight counts. Nothing is cut to size: where the smallest context of ours is larger than the recorded summary, " +
      "recency and random lines get as much. Random lines: the mean of five draws. Recency: the end of what was folded. The " +
      "recorded agent had more than its summary: files attached again, which the recordings lack. The weights of likely reuse " +
      "were chosen on recordings of the same kind.",
  };
}

export function comparisonsOf(rows: readonly LaterRow[]): readonly Comparison[] {
  const told = (size: UsedLater["size"]) => setsOf(rows, size).filter(({ atoms }) => atoms >= fewest);
  return [
    ...told("recorded").map(({ set, share }) => ({
      measure: `strings used later that are visible right after a compaction, ${set}, at the tokens of the recorded summary`,
      rivals: [ways.recorded, ways.recency],
      share,
    })),
    ...told("default").map(({ set, share }) => ({
      measure: `strings used later that are visible right after a compaction, ${set}, at default sizes`,
      rivals: [ways.recency],
      share,
    })),
  ].map(({ measure, rivals, share }) => ({
    measure,
    unit: "share",
    better: "higher",
    ours: share(ways.ours),
    rivals: rivals.map((name) => ({ name, value: share(name) })),
    margin: 0.05,
  }));
}
