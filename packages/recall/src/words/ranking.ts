import type { ScoredId } from "../passage.js";

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

/** Returns the ids whose neighbours count: those found, and the ones right before and after each. */
export function withNeighbours(found: readonly ScoredId[]): number[] {
  return [...new Set(found.flatMap(({ id }) => [id, id - 1, id + 1]))];
}

/**
 * Returns a ranking in which a share of each score also goes to the passages beside it in the same file: what answers a
 * question often stands right after it. `paths` are those of `withNeighbours(found)`. Pure.
 */
export function smooth(
  found: readonly ScoredId[],
  paths: ReadonlyMap<number, string>,
  share = 0.25,
): ScoredId[] {
  const scores = new Map<number, number>();
  const give = (id: number, score: number): unknown => scores.set(id, (scores.get(id) ?? 0) + score);
  for (const { id, score } of found) {
    const path = paths.get(id);
    if (path === undefined) continue;
    give(id, score);
    for (const next of [id - 1, id + 1]) if (paths.get(next) === path) give(next, share * score);
  }
  return best(scores);
}

const rankConstant = 60;

/**
 * Returns rankings as one: each gives an id `1 / (60 + rank)`, and the ids with the largest sum come first
 * (reciprocal rank fusion, Cormack et al., SIGIR 2009). Pure.
 */
export function fuse(rankings: readonly (readonly ScoredId[])[]): ScoredId[] {
  const sums = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [rank, { id }] of ranking.entries())
      sums.set(id, (sums.get(id) ?? 0) + 1 / (rankConstant + rank + 1));
  }
  return best(sums);
}

/** Returns ids by score, higher first; equal ones by id. */
export function best(scores: ReadonlyMap<number, number>): ScoredId[] {
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .toSorted((one, other) => other.score - one.score || one.id - other.id);
}
