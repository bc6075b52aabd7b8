import { lazyRegExp } from "../once.js";

export interface RankOptions {
  /** Search query, as text. */
  readonly query: string;
  /** Share of the neighbours' scores that a unit receives, by distance from 1. */
  readonly neighbours: readonly number[];
}

/** A block or a chunk with its text. */
export interface TextUnit<Value> {
  readonly value: Value;
  readonly text: string;
  /** Who says it, in a chat. The score then counts what the speaker's units and this one cost. @default no cost */
  readonly speaker?: string;
}

/** Shares of the neighbours' scores for a turn of a chat, at distances 1 and 2. */
export const chatNeighbours: readonly number[] = [0.5, 0.25];

const k1 = 1.2;
const b = 0.75;

/** Exponents of the cost of a unit: the mean length of its speaker's units, and its own length (evals, beam and locomo). */
const speakerCost = 0.5;
const ownCost = 0.15;

/**
 * Returns a BM25 score for each unit, in input order, smoothed over neighbours, because an answer is next to its
 * question. With speakers, divides it by what the unit costs: a brief speaker's turns say as much in fewer tokens.
 * Pure, O(characters).
 */
export function rankUnits<Value>(
  units: readonly TextUnit<Value>[],
  { query, neighbours }: RankOptions,
): readonly number[] {
  const wanted = new Set(stems(query));
  const found = units.map(({ text }) => countWanted(text, wanted));
  const holders = new Map<string, number>();
  for (const { counts } of found)
    for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  const mean = found.reduce((sum, { length }) => sum + length, 0) / Math.max(1, units.length);
  const own = found.map(({ counts, length }) => {
    let score = 0;
    for (const [word, count] of counts) {
      const holding = holders.get(word) ?? 0;
      const rarity = Math.log1p((units.length - holding + 0.5) / (holding + 0.5));
      score += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / mean));
    }
    return score;
  });
  const costs = costsOf(units);
  return own.map((score, at) => {
    const smoothed = neighbours.reduce(
      (sum, share, far) => sum + share * ((own[at - far - 1] ?? 0) + (own[at + far + 1] ?? 0)),
      score,
    );
    return smoothed / (costs[at] ?? 1);
  });
}

/** Returns what each unit costs, relative to the others; 1 for a unit without a speaker. */
function costsOf(units: readonly TextUnit<unknown>[]): readonly number[] {
  const speakers = new Map<string, { characters: number; units: number }>();
  for (const { speaker, text } of units) {
    if (speaker === undefined) continue;
    const { characters, units: count } = speakers.get(speaker) ?? { characters: 0, units: 0 };
    speakers.set(speaker, { characters: characters + text.length, units: count + 1 });
  }
  return units.map(({ speaker = "", text }) => {
    const all = speakers.get(speaker);
    if (all === undefined) return 1;
    const mean = Math.max(1, all.characters / all.units);
    return mean ** speakerCost * Math.max(1, text.length) ** ownCost;
  });
}

function countWanted(text: string, wanted: ReadonlySet<string>) {
  const counts = new Map<string, number>();
  const words = stems(text);
  for (const word of words) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}

/** Stop words. */
const stopWords = new Set(
  "a an and are at be did do does for had has have in is of on or the to was were with".split(" "),
);

const word = lazyRegExp(String.raw`[\p{L}_$][\p{L}\p{N}_$]*|\d+`, "gu");

/** Returns the stemmed lower-case words of a text, without stop words. */
function stems(text: string): readonly string[] {
  const words = text.toLowerCase().match(word()) ?? [];
  return words.flatMap((word) => (stopWords.has(word) ? [] : stem(word)));
}

function stem(word: string): string {
  const bare = word.replace(/(?:ing|ed|es|s)$/, "");
  return bare.length >= 3 ? bare : word;
}
