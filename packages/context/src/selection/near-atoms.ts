import { maxPlaces, type AtomTable } from "./atom-table.js";
import type { IndexedChunk } from "./indexed-chunk.js";

export interface NearOptions {
  /** The column that receives the sums. */
  readonly near: Float64Array;
  /** Window size, in lines on either side. */
  readonly radius: number;
  /** Number of chunks so far. */
  readonly chunks: number;
}

/**
 * Sets `near` of every atom within `radius` lines of a `named` atom to the sum of the named atoms' weights
 * `ln(1 + chunks / count)` around its best place, without its own weight, and of every other atom to 0.
 *
 * Takes time proportional to the places of the named atoms; reads only the newest places of each.
 */
export function nearAtoms(
  { places, count }: AtomTable,
  named: ReadonlySet<number>,
  { near, radius, chunks }: NearOptions,
): void {
  near.fill(0);
  const weightOf = (number: number) => Math.log(1 + chunks / (count[number] ?? 1));
  const hits = new Map<IndexedChunk, Map<number, number>>();
  for (const number of named) {
    const weight = weightOf(number);
    for (const { chunk, line } of places[number]?.slice(-maxPlaces) ?? []) {
      // A pruned line has no atoms.
      if ((chunk.lines[line]?.atoms.length ?? 0) === 0) continue;
      let weights = hits.get(chunk);
      if (weights === undefined) hits.set(chunk, (weights = new Map()));
      weights.set(line, (weights.get(line) ?? 0) + weight);
    }
  }
  for (const [chunk, weights] of hits) {
    for (const [at, around] of sumsAround(weights, radius, chunk.lines.length)) {
      for (const number of chunk.lines[at]?.atoms ?? []) {
        const others = named.has(number) ? around - weightOf(number) : around;
        if (others > (near[number] ?? 0)) near[number] = others;
      }
    }
  }
}

/** Returns the total weight within `radius` of each line near a hit. */
function sumsAround(
  weights: ReadonlyMap<number, number>,
  radius: number,
  lines: number,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  for (const [line, weight] of weights) {
    const end = Math.min(lines - 1, line + radius);
    for (let at = Math.max(0, line - radius); at <= end; at++) sums.set(at, (sums.get(at) ?? 0) + weight);
  }
  return sums;
}
