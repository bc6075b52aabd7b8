import type { ScoredId } from "./passage.js";

const constant = 60;

/**
 * Returns rankings as one: each gives an id `1 / (60 + rank)`, and the ids with the largest sum come first
 * (reciprocal rank fusion, Cormack et al., SIGIR 2009). Pure.
 */
export function fuse(rankings: readonly (readonly ScoredId[])[]): ScoredId[] {
  const sums = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [rank, { id }] of ranking.entries())
      sums.set(id, (sums.get(id) ?? 0) + 1 / (constant + rank + 1));
  }
  return best(sums);
}

/** Returns ids by score, higher first; equal ones by id. */
export function best(scores: ReadonlyMap<number, number>): ScoredId[] {
  return [...scores]
    .map(([id, score]) => ({ id, score }))
    .toSorted((one, other) => other.score - one.score || one.id - other.id);
}
