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
}

/** Shares of the neighbours' scores for a turn of a chat, at distances 1 and 2. */
export const chatNeighbours: readonly number[] = [0.5, 0.25];

const k1 = 1.2;
const b = 0.75;

/**
 * Returns a BM25 score for each unit, in input order, smoothed over neighbours, because an answer is next to its
 * question. Pure, O(characters).
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
  return own.map((score, at) =>
    neighbours.reduce(
      (sum, share, far) => sum + share * ((own[at - far - 1] ?? 0) + (own[at + far + 1] ?? 0)),
      score,
    ),
  );
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

/** Returns the stemmed lower-case words of a text, without stop words. */
function stems(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}_$][\p{L}\p{N}_$]*|\d+/gu) ?? [];
  return words.flatMap((word) => (stopWords.has(word) ? [] : stem(word)));
}

function stem(word: string): string {
  const bare = word.replace(/(?:ing|ed|es|s)$/, "");
  return bare.length >= 3 ? bare : word;
}
