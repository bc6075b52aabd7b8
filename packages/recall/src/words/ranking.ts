import type { ScoredId } from "../passage.js";

/** The most terms of a question that are searched for, rarest first: frequent terms cost most and distinguish least. */
const maxQuestionWords = 64;
/** The most passages that are ranked. Bounds the cost of a search in a thread of any length. */
export const maxRanked = 5_000;
/** The count of a term that is in more passages than this is cached, because counting takes time. */
export const frequentFrom = 500;
/** Questions after which the cached counts expire. */
export const questionsRemembered = 256;

export interface CountedTerm {
  readonly term: string;
  /** Passages that hold it. */
  readonly count: number;
}

/**
 * Returns the terms of a question to search for: the rarest ones, until they occur in more than 5,000 passages together,
 * and at least the rarest one. Pure.
 */
export function rarest(terms: readonly CountedTerm[]): readonly CountedTerm[] {
  let sum = 0;
  return terms
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => one.count - other.count)
    .slice(0, maxQuestionWords)
    .filter(({ count }, rank) => (sum += count) <= maxRanked || rank === 0);
}

/** Returns the ids of a ranking and the ids directly before and after each. Pure. */
export function withNeighbours(found: readonly ScoredId[]): number[] {
  return [...new Set(found.flatMap(({ id }) => [id, id - 1, id + 1]))];
}

/**
 * Returns a ranking in which the neighbours of a passage in its file get a share of its score: the answer to a question is
 * often next to its words. `paths` has the paths of `withNeighbours(found)`. Pure.
 */
export function smooth(
  found: readonly ScoredId[],
  paths: ReadonlyMap<number, string>,
  share = 0.1,
): ScoredId[] {
  const scores = new Map<number, number>();
  const give = (id: number, score: number): unknown => scores.set(id, (scores.get(id) ?? 0) + score);
  for (const { id, score } of found) {
    const path = paths.get(id);
    if (path === undefined) continue;
    give(id, score);
    if (share === 0) continue;
    for (const next of [id - 1, id + 1]) if (paths.get(next) === path) give(next, share * score);
  }
  return best(scores);
}

/** Returns a ranking in which the score of the last id grows by a share, and those of the others by their place from first to last. Pure. */
export function byRecency(found: readonly ScoredId[], share: number): ScoredId[] {
  const ids = found.map(({ id }) => id);
  const first = Math.min(...ids);
  const range = Math.max(1, Math.max(...ids) - first);
  return best(new Map(found.map(({ id, score }) => [id, score * (1 + (share * (id - first)) / range)])));
}

/** Returns a ranking with each score times the factor of its id. Pure. */
export function weighed(found: readonly ScoredId[], factors: ReadonlyMap<number, number>): ScoredId[] {
  return best(new Map(found.map(({ id, score }) => [id, score * (factors.get(id) ?? 1)])));
}

/** Below the 60 of the paper: the first hits of a search count most, because they fill the few tokens of an answer (evals, locomo). */
const rankConstant = 10;
/** Words find names, paths and numbers, which vectors of a sentence blur. */
const meaningShare = 0.5;

/**
 * Merges the rankings of two searches: an id scores `1 / (10 + rank)` by its words and half of that by its meaning, and the ids with the
 * largest sum come first (reciprocal rank fusion, Cormack et al., SIGIR 2009). Pure.
 */
export function fuse(words: readonly ScoredId[], meaning: readonly ScoredId[]): ScoredId[] {
  const sums = new Map<number, number>();
  const add = (found: readonly ScoredId[], share: number) => {
    for (const [rank, { id }] of found.entries())
      sums.set(id, (sums.get(id) ?? 0) + share / (rankConstant + rank + 1));
  };
  add(words, 1);
  add(meaning, meaningShare);
  return best(sums);
}

/** Returns ids sorted by score, highest first, then by id. Pure. */
export function best(scores: ReadonlyMap<number, number>): ScoredId[] {
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .toSorted((one, other) => other.score - one.score || one.id - other.id);
}
