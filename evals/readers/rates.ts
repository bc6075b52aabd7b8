import { mean } from "../metrics/quantile.js";
import type { Reading, Verdict } from "./chat.js";

/** How often something happened, with the interval of Wilson that holds 95 of 100 such shares. */
export interface Rate {
  readonly share: number;
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

/** How often a reader answers, by what stands in front of it. */
export interface ReaderRates {
  readonly verbatim: Rate;
  readonly summarized: Rate;
}

const z = 1.96;

/** Returns the share of `hits` in `count` with its interval (Wilson 1927). */
export function rateOf(hits: number, count: number): Rate {
  if (count === 0) return { share: 0, low: 0, high: 1, count };
  const share = hits / count;
  const scale = 1 + z ** 2 / count;
  const middle = (share + z ** 2 / (2 * count)) / scale;
  const half = (z / scale) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  return { share, low: middle - half, high: middle + half, count };
}

/** Returns how many of the facts were recalled. */
export function recalledOf(verdicts: readonly Verdict[]): Rate {
  return rateOf(verdicts.filter(({ isRecalled }) => isRecalled).length, verdicts.length);
}

/** Returns the rates of a reader over all its readings, of the facts that a predicate selects. @default all */
export function ratesOf(readings: readonly Reading[], isCounted = (_fact: string) => true): ReaderRates {
  const verdicts = readings.flatMap((reading) => reading.verdicts.filter(({ fact }) => isCounted(fact)));
  return {
    verbatim: recalledOf(verdicts.filter(({ isCompacted }) => !isCompacted)),
    summarized: recalledOf(verdicts.filter(({ isCompacted }) => isCompacted)),
  };
}

/** Returns the share of facts whose messages were not summarized. */
export function wholeShareOf(verdicts: readonly Verdict[]): number {
  return shareOf(verdicts.map(({ isCompacted }) => !isCompacted));
}

/** Returns the share that is true; 0 for an empty list. */
export function shareOf(values: readonly boolean[] = []): number {
  return mean(values.map(Number));
}

/** Returns the share of questions that a reader answers if a share of their evidence stands in front of it word for word. */
export function expectedAnswers(verbatimShare: number, { verbatim, summarized }: ReaderRates): Rate {
  const of = (bound: "share" | "low" | "high") =>
    verbatimShare * verbatim[bound] + (1 - verbatimShare) * summarized[bound];
  return { share: of("share"), low: of("low"), high: of("high"), count: verbatim.count };
}

/** What the rates of one half of the facts predict for the other, beside what was answered. */
export interface HeldOut {
  readonly reading: Reading;
  readonly expected: Rate;
  readonly answered: Rate;
}

/** Predicts each reading's answers to every second fact from the rates of the others, and the other way round. */
export function heldOut(readings: readonly Reading[]): readonly HeldOut[] {
  const facts = [...new Set(readings.flatMap(({ verdicts }) => verdicts.map(({ fact }) => fact)))].toSorted();
  const isEven = new Map(facts.map((fact, at) => [fact, at % 2 === 0]));
  return readings.flatMap((reading) =>
    [true, false].map((half) => {
      const own = reading.verdicts.filter(({ fact }) => isEven.get(fact) === half);
      const rates = ratesOf(readings, (fact) => isEven.get(fact) !== half);
      const expected = expectedAnswers(wholeShareOf(own), rates);
      return { reading, expected, answered: recalledOf(own) };
    }),
  );
}
