import { best } from "./fuse.js";
import type { ScoredId } from "./passage.js";

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
