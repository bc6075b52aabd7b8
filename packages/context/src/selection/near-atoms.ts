import type { Atom, IndexedChunk } from "./indexed-chunk.js";

export interface NearOptions {
  /** Lines on either side. */
  readonly radius: number;
  /** Chunks so far. */
  readonly chunks: number;
  readonly field: "nearCalls" | "nearIntent";
}

/** Newest places of an atom that are looked at: a name that stands everywhere says little about where to look. */
export const mostPlaces = 128;

/**
 * Sets `field` of every atom that stands within `radius` lines of one of `named`: the sum of their weights
 * `ln(1 + chunks / count)` around its best place, without its own.
 *
 * In time proportional to the places of the named atoms, of which only the newest are looked at.
 */
export function nearAtoms(named: ReadonlySet<Atom>, { radius, chunks, field }: NearOptions): void {
  const hits = new Map<IndexedChunk, Map<number, number>>();
  for (const atom of named) {
    atom.weight = Math.log(1 + chunks / atom.count);
    for (const { chunk, line } of atom.places.slice(-mostPlaces)) {
      if (chunk.lines.length === 0) continue;
      let weights = hits.get(chunk);
      if (weights === undefined) hits.set(chunk, (weights = new Map()));
      weights.set(line, (weights.get(line) ?? 0) + atom.weight);
    }
  }
  for (const [chunk, weights] of hits) {
    for (const [at, around] of sumsAround(weights, radius, chunk.lines.length)) {
      for (const atom of chunk.lines[at]?.atoms ?? []) {
        const others = named.has(atom) ? around - atom.weight : around;
        if (others > atom[field]) atom[field] = others;
      }
    }
  }
}

/** What stands within `radius` of each line, for the lines near a hit. */
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
