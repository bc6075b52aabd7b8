/** A question of more words is answered by the rarest of them: the frequent ones cost most and tell least. */
export const mostWords = 64;
/** Passages that are ranked: a question takes in its words, rarest first, while they are in no more than so many. */
export const mostRanked = 5_000;
/** The count of a word in more passages is remembered for some questions, for counting them takes time. */
export const manyPassages = 500;
export const remembered = 256;

export interface CountedTerm {
  readonly term: string;
  /** Passages that hold it. */
  readonly count: number;
}

/**
 * Returns the words that a question is answered by: its rarest, as long as they are in no more than 5,000 passages
 * together, and at least the rarest of all. Pure.
 */
export function rarest(terms: readonly CountedTerm[]): readonly CountedTerm[] {
  let sum = 0;
  return terms
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => one.count - other.count)
    .slice(0, mostWords)
    .filter(({ count }, rank) => (sum += count) <= mostRanked || rank === 0);
}
