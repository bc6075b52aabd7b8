import { expect, it } from "vitest";
import { ExactIndex } from "./exact-index.js";
import { HnswIndex, loadHnsw } from "./hnsw-index.js";
import { searchWidth } from "./search-width.js";

/** Random vectors, the hardest for a graph, from a fixed seed. */
function randomVectors(count: number, dimensions: number): Float32Array[] {
  let seed = 1;
  const next = (): number => {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return ((seed ^ (seed >>> 13)) >>> 0) / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () => {
    const vector = Float32Array.from({ length: dimensions }, () => next() + next() + next());
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

it.each([8, 48])(
  "returns a width at which a graph of %i dimensions finds 99 % of the true ten nearest vectors",
  async (dimensions) => {
    const module = await loadHnsw();
    if (module === undefined) throw new Error("hnswlib-node is a development dependency and is not there");
    const exact = new ExactIndex(dimensions);
    const graph = HnswIndex.empty(module, dimensions, 2 ** 40);
    for (const [at, vector] of randomVectors(3_000, dimensions).entries()) {
      exact.add(2 ** 40 + at + 1, vector);
      graph.add(2 ** 40 + at + 1, vector);
    }
    graph.width = (await searchWidth(graph, exact)) ?? 0;
    let found = 0;
    const questions = randomVectors(3_100, dimensions).slice(3_000);
    for (const question of questions) {
      const truth = new Set(exact.nearest(question, 10).map(({ id }) => id));
      found += graph.nearest(question, 10).filter(({ id }) => truth.has(id)).length;
    }
    expect(found / (questions.length * 10)).toBeGreaterThanOrEqual(0.99);
    expect(graph.last).toBe(2 ** 40 + 3_000);
  },
);
