import { stem } from "../words/stem.js";
import { words } from "../words/words.js";

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
const ownCost = 0.2;

/** Weight of the rarity of a phrase of the query: two words that are neighbours in both. */
const phraseWeight = 0.5;

/**
 * Returns a BM25 score for each unit, in input order, smoothed over neighbours, because an answer is next to its
 * question. Phrases of the query count besides its words. With speakers, divides the score by what the unit costs: a brief
 * speaker's turns say as much in fewer tokens. Pure, O(characters).
 */
export function rankUnits<Value>(
  units: readonly TextUnit<Value>[],
  { query, neighbours }: RankOptions,
): readonly number[] {
  const known: KnownStems = new Map();
  const asked = stems(query, known);
  const wanted = { words: new Set(asked), phrases: new Set(phrasesOf(asked)) };
  const found = units.map(({ text }) => countWanted(stems(text, known), wanted));
  const holders = new Map<string, number>();
  for (const { counts, phrases } of found)
    for (const one of [...counts.keys(), ...phrases]) holders.set(one, (holders.get(one) ?? 0) + 1);
  const rarity = (one: string) => {
    const holding = holders.get(one) ?? 0;
    return Math.log1p((units.length - holding + 0.5) / (holding + 0.5));
  };
  const mean = found.reduce((sum, { length }) => sum + length, 0) / Math.max(1, units.length);
  const own = found.map(({ counts, phrases, length }) => {
    let score = 0;
    for (const phrase of phrases) score += phraseWeight * rarity(phrase);
    for (const [word, count] of counts)
      score += (rarity(word) * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / mean));
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

interface Wanted {
  readonly words: ReadonlySet<string>;
  readonly phrases: ReadonlySet<string>;
}

function countWanted(words: readonly string[], wanted: Wanted) {
  const counts = new Map<string, number>();
  const phrases = new Set<string>();
  words.forEach((word, at) => {
    if (!wanted.words.has(word)) return;
    counts.set(word, (counts.get(word) ?? 0) + 1);
    const phrase = `${words[at - 1]} ${word}`;
    if (wanted.phrases.has(phrase)) phrases.add(phrase);
  });
  return { counts, phrases, length: words.length };
}

function phrasesOf(words: readonly string[]): readonly string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`);
}

/** Stop words; those that ask a question say nothing of its subject. */
const stopWords = new Set(
  (
    "a an and are at be did do does for had has have in is of on or the to was were with " +
    "what when where which who whom whose why how"
  ).split(" "),
);

/** Stems by word, "" for a stop word: a text repeats its words, and finding a stem takes longer than reading it. */
type KnownStems = Map<string, string>;

/** Returns the stemmed lower-case words of a text, without stop words. */
function stems(text: string, known: KnownStems): readonly string[] {
  const found: string[] = [];
  for (const one of words(text)) {
    let own = known.get(one);
    if (own === undefined) known.set(one, (own = stopWords.has(one) ? "" : stem(one)));
    if (own !== "") found.push(own);
  }
  return found;
}
