import { setImmediate } from "node:timers/promises";
import type { ExactIndex } from "./exact-index.js";
import type { HnswIndex } from "./hnsw-index.js";

const widths = [64, 128, 256, 512, 1_024] as const;
/** A question is not one of the graph's vectors and is harder to find: its search is this many times as wide. */
const margin = 4;
/** The widest search. */
export const maxWidth = 1_024 * margin;
/** Vectors looked up to measure a graph. */
const samples = 64;
const neighbours = 10;
/** Share of the true ten nearest that a graph must find. */
const minRecall = 0.99;
/** Two sums of the same numbers in different orders differ by less than this. */
const rounding = 1e-5;

interface Sample {
  readonly id: number;
  readonly vector: Float32Array;
  /** Score of the tenth nearest vector. An equal score counts as found, because equal texts have equal vectors. */
  readonly minScore: number;
  readonly count: number;
}

/**
 * Returns the width (ef) at which a search of a graph finds 99 % of the true ten nearest vectors, measured on vectors of the
 * graph; undefined when even the widest search finds fewer. Lets the event loop run between samples.
 */
export async function searchWidth(
  graph: HnswIndex,
  exact: ExactIndex,
  isWanted: () => boolean = () => true,
): Promise<number | undefined> {
  const count = Math.min(samples, exact.size);
  const measured: Sample[] = [];
  for (let sample = 0; sample < count && isWanted(); sample++) {
    const { id, vector } = exact.at(Math.floor((sample * exact.size) / count));
    const nearest = exact.nearest(vector, neighbours + 1).filter((one) => one.id !== id);
    const ten = nearest.slice(0, neighbours);
    measured.push({ id, vector, minScore: (ten.at(-1)?.score ?? 0) - rounding, count: ten.length });
    await setImmediate();
  }
  const all = measured.reduce((sum, one) => sum + one.count, 0);
  const width = widths.find((one) => foundBy(graph, measured, one) >= minRecall * all);
  return width === undefined ? undefined : width * margin;
}

function foundBy(graph: HnswIndex, measured: readonly Sample[], width: number): number {
  return measured
    .map(({ id, vector, minScore, count }) => {
      const found = graph.nearest(vector, neighbours + 1, width);
      return Math.min(count, found.filter((one) => one.id !== id && one.score >= minScore).length);
    })
    .reduce((sum, found) => sum + found, 0);
}
