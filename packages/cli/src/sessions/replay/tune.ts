import { createHash } from "node:crypto";
import type { Measured } from "./measure-prompts.js";
import type { Settings } from "./policies.js";
import type { Replay } from "./replay-session.js";

/** The settings that are compared with the defaults. */
const candidates: readonly Settings[] = [
  { limits: { offload: 4_000 } },
  { limits: { offload: 1_500 } },
  { trigger: { fraction: 0.7 } },
  { keep: { fraction: 0.2 } },
  { trigger: { fraction: 0.7 }, keep: { fraction: 0.2 } },
  { trigger: { fraction: 0.6 }, limits: { offload: 4_000 } },
];

/** Fewest sessions of each half. */
const fewest = 4;
/** The share of what calls needed that a setting may have less than the defaults. */
const mostLost = 0.01;

/** A mean with a 95 % interval. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Tuned {
  readonly sessions: readonly [chosenOn: number, reportedOn: number];
  /** The settings that were cheapest on the first half; undefined if the defaults were. */
  readonly settings: Settings | undefined;
  /** Tokens of the smallest context window of the sessions that are reported. */
  readonly window?: number;
  /** On the other half: the bill as a share of that of the defaults, and the difference of what was needed and there. */
  readonly bill?: Interval;
  readonly had?: Interval;
  /** Why nothing is recommended; undefined for a recommendation. */
  readonly refusal?: string;
}

/** Searches the settings on one half of the sessions, and reports them on the other half. */
export async function tune(
  paths: readonly string[],
  open: (path: string) => Promise<Replay>,
): Promise<Tuned> {
  const halves = [paths.filter((path) => isFirst(path)), paths.filter((path) => !isFirst(path))] as const;
  const sessions = [halves[0].length, halves[1].length] as const;
  if (Math.min(...sessions) < fewest)
    return {
      sessions,
      settings: undefined,
      refusal: `There are too few sessions: ${sessions[0]} and ${sessions[1]}, and each half needs ${fewest}.`,
    };
  const settings = await choose(halves[0], open);
  if (settings === undefined)
    return { sessions, settings, refusal: "The defaults are the cheapest settings on the first half." };
  const pairs: (readonly [Measured, Measured])[] = [];
  let window = Infinity;
  for (const path of halves[1]) {
    const replay = await open(path);
    window = Math.min(window, replay.window);
    pairs.push([await replay.with({}), await replay.with(settings)]);
  }
  const bill = intervalOf(pairs.map(([base, one]) => ratio(one.bill, base.bill)));
  const had = intervalOf(pairs.map(([base, one]) => share(one) - share(base)));
  const refusal = refusalOf(bill, had);
  return { sessions, settings, window, bill, had, ...(refusal === undefined ? {} : { refusal }) };
}

function refusalOf(bill: Interval, had: Interval): string | undefined {
  if (bill.high >= 1)
    return "The halves disagree: on the other half these settings are not cheaper than the defaults.";
  return had.low < -2 * mostLost
    ? "The halves disagree: on the other half less of what calls needed was there."
    : undefined;
}

/** Returns the cheapest settings that keep what is needed. Each session is opened once, and one is held at a time. */
async function choose(
  paths: readonly string[],
  open: (path: string) => Promise<Replay>,
): Promise<Settings | undefined> {
  const rows: Measured[][] = [];
  for (const path of paths) {
    const replay = await open(path);
    const row = [await replay.with({})];
    for (const settings of candidates) row.push(await replay.with(settings));
    rows.push(row);
  }
  const scored = candidates.map((settings, at) => {
    const pairs = rows.map((row) => [row[0] as Measured, row[at + 1] as Measured] as const);
    const bill = meanOf(pairs.map(([base, one]) => ratio(one.bill, base.bill)));
    return { settings, bill, had: meanOf(pairs.map(([base, one]) => share(one) - share(base))) };
  });
  const fitting = scored
    .filter(({ bill, had }) => bill < 1 && had >= -mostLost)
    .toSorted((a, b) => a.bill - b.bill);
  return fitting[0]?.settings;
}

/** The half of a session depends on its name alone, so that more sessions move none of them. */
function isFirst(path: string): boolean {
  return (
    (createHash("sha256")
      .update(path.split(/[\\/]/).at(-1) ?? "")
      .digest()[0] ?? 0) %
      2 ===
    0
  );
}

function share({ needed, had }: Measured): number {
  return needed === 0 ? 1 : had / needed;
}

function ratio(one: number, base: number): number {
  return base === 0 ? 1 : one / base;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** Returns a mean with the interval of 1,000 samples drawn with replacement, the same for the same values. */
function intervalOf(values: readonly number[]): Interval {
  let seed = 1;
  const next = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const means = Array.from({ length: 1_000 }, () =>
    meanOf(values.map(() => values[Math.floor(next() * values.length)] ?? 0)),
  );
  const sorted = means.toSorted((a, b) => a - b);
  return { mean: meanOf(values), low: sorted[25] ?? 0, high: sorted[974] ?? 0 };
}
