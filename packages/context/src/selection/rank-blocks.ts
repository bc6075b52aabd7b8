export interface RankOptions {
  /** What is looked for, in words. */
  readonly query: string;
  /** What a unit gets of the scores of its neighbours: of the next ones, of those behind them, and so on. */
  readonly neighbours: readonly number[];
}

/** A block or a chunk with the words in it. */
export interface TextUnit<Value> {
  readonly value: Value;
  readonly text: string;
}

/** What a turn of a conversation gets of the scores of the turns beside it, and of those behind them. */
export const chatNeighbours: readonly number[] = [0.5, 0.25];

const k1 = 1.2;
const b = 0.75;

/**
 * Returns a BM25 score for each unit, in their order, smoothed over neighbours: an answer stands beside its question.
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

/** Words that say nothing of what a text is about. */
const unsearched = new Set(
  "a an and are at be did do does for had has have in is of on or the to was were with".split(" "),
);

/** Words in lower case, without those that say nothing and without the endings that only bend them. */
function stems(text: string): readonly string[] {
  const words = text.toLowerCase().match(/[\p{L}_$][\p{L}\p{N}_$]*|\d+/gu) ?? [];
  return words.flatMap((word) => (unsearched.has(word) ? [] : stem(word)));
}

function stem(word: string): string {
  const bare = word.replace(/(?:ing|ed|es|s)$/, "");
  return bare.length >= 3 ? bare : word;
}
