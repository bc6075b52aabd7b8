import { setImmediate } from "node:timers/promises";
import type { ExactIndex } from "./exact-index.js";
import type { HnswIndex } from "./hnsw-index.js";

const widths = [64, 128, 256, 512, 1_024] as const;
/** A question is no vector of the graph's own, and harder to place: it is searched so many times as wide. */
const margin = 4;
/** The widest that is searched. */
export const widest = 1_024 * margin;
/** Vectors that are looked up to measure a graph. */
const samples = 64;
const neighbours = 10;
/** Share of the true ten nearest that a graph must find. */
const leastRecall = 0.99;
/** Sums of the same numbers in another order differ by less. */
const rounding = 1e-5;

interface Sample {
  readonly id: number;
  readonly vector: Float32Array;
  /** Score of the tenth nearest. What is as near counts as found, for equal texts have equal vectors. */
  readonly least: number;
  readonly count: number;
}

/**
 * Returns how wide a graph must be searched (ef) to find 99 of 100 of the true ten nearest, measured on vectors of its
 * own; undefined where even the widest search finds fewer. It gives way to other work as it goes.
 */
export async function searchWidth(
  graph: HnswIndex,
  exact: ExactIndex,
  isWanted: () => boolean = () => true,
): Promise<number | undefined> {
  const count = Math.min(samples, exact.size);
  const taken: Sample[] = [];
  for (let sample = 0; sample < count && isWanted(); sample++) {
    const { id, vector } = exact.at(Math.floor((sample * exact.size) / count));
    const nearest = exact.nearest(vector, neighbours + 1).filter((one) => one.id !== id);
    const ten = nearest.slice(0, neighbours);
    taken.push({ id, vector, least: (ten.at(-1)?.score ?? 0) - rounding, count: ten.length });
    await setImmediate();
  }
  const all = taken.reduce((sum, one) => sum + one.count, 0);
  const width = widths.find((one) => foundBy(graph, taken, one) >= leastRecall * all);
  return width === undefined ? undefined : width * margin;
}

function foundBy(graph: HnswIndex, taken: readonly Sample[], width: number): number {
  return taken
    .map(({ id, vector, least, count }) => {
      const found = graph.nearest(vector, neighbours + 1, width);
      return Math.min(count, found.filter((one) => one.id !== id && one.score >= least).length);
    })
    .reduce((sum, found) => sum + found, 0);
}
