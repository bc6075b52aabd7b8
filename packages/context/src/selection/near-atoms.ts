import { maxPlaces, type AtomTable } from "./atom-table.js";
import { chunkOfPlace, lineOfPlace, type IndexedChunk } from "./indexed-chunk.js";

export interface NearOptions {
  /** The column that receives the sums. */
  readonly near: Float64Array;
  /** Window size, in lines on either side. */
  readonly radius: number;
  /** The chunks so far. */
  readonly chunks: readonly IndexedChunk[];
}

/** The named atoms of a chunk: the weight of each line, and the lines in the order in which they were found. */
interface Hits {
  readonly weights: Float64Array;
  readonly lines: number[];
}

/**
 * Sets `near` of every atom within `radius` lines of a `named` atom to the sum of the named atoms' weights
 * `ln(1 + chunks / count)` around its best place, without its own weight, and of every other atom to 0.
 *
 * Takes time proportional to the places of the named atoms; reads only the newest places of each.
 */
export function nearAtoms(atoms: AtomTable, named: ReadonlySet<number>, options: NearOptions): void {
  const { near, radius, chunks } = options;
  const { count } = atoms;
  near.fill(0);
  const weights = new Map<number, number>();
  for (const number of named) weights.set(number, Math.log(1 + chunks.length / (count[number] ?? 1)));
  for (const [chunk, hits] of hitsOf(atoms, weights, chunks)) {
    const sums = sumsAround(hits, radius);
    chunk.lines.forEach((line, at) => {
      const around = sums[at] ?? 0;
      if (around === 0) return;
      for (const number of line.atoms) {
        const others = around - (weights.get(number) ?? 0);
        if (others > (near[number] ?? 0)) near[number] = others;
      }
    });
  }
}

function hitsOf(
  { places }: AtomTable,
  weights: ReadonlyMap<number, number>,
  chunks: readonly IndexedChunk[],
): ReadonlyMap<IndexedChunk, Hits> {
  const found = new Map<IndexedChunk, Hits>();
  for (const [number, weight] of weights) {
    const own = places[number] ?? [];
    for (let at = Math.max(0, own.length - maxPlaces); at < own.length; at++) {
      const place = own[at] ?? 0;
      const chunk = chunks[chunkOfPlace(place)];
      const line = lineOfPlace(place);
      // A pruned line has no atoms.
      if (chunk === undefined || (chunk.lines[line]?.atoms.length ?? 0) === 0) continue;
      let hits = found.get(chunk);
      if (hits === undefined)
        found.set(chunk, (hits = { weights: new Float64Array(chunk.lines.length), lines: [] }));
      const before = hits.weights[line] ?? 0;
      if (before === 0) hits.lines.push(line);
      hits.weights[line] = before + weight;
    }
  }
  return found;
}

/** Returns the total weight within `radius` of each line. */
function sumsAround({ weights, lines }: Hits, radius: number): Float64Array {
  const sums = new Float64Array(weights.length);
  for (const line of lines) {
    const end = Math.min(weights.length - 1, line + radius);
    for (let at = Math.max(0, line - radius); at <= end; at++)
      sums[at] = (sums[at] ?? 0) + (weights[line] ?? 0);
  }
  return sums;
}
