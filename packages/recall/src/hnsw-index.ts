import type * as Hnsw from "hnswlib-node";
import { renameSync, rmSync } from "node:fs";
import type { ScoredId } from "./passage-table.js";
import type { VectorIndex } from "./vector-index.js";

/** With them 99 of 100 of the true ten nearest are found among 50,000 vectors; `npm run bench -- recall` measures it. */
const search = 128;
const links = 16;
const construction = 200;

type Module = typeof Hnsw;

/** Returns the native module, or undefined where it is not installed or was not built. */
export async function loadHnsw(): Promise<Module | undefined> {
  try {
    return await import("hnswlib-node");
  } catch {
    return undefined;
  }
}

/** Compares with the vectors along a graph of near ones: nearly exact, and fast for millions. */
export class HnswIndex implements VectorIndex {
  readonly #graph: Hnsw.HierarchicalNSW;
  #last = 0;

  private constructor(graph: Hnsw.HierarchicalNSW) {
    this.#graph = graph;
    for (const id of graph.getIdsList()) this.#last = Math.max(this.#last, id);
    graph.setEf(search);
  }

  static empty({ HierarchicalNSW: Graph }: Module, dimensions: number): HnswIndex {
    const graph = new Graph("ip", dimensions);
    graph.initIndex(1_024, links, construction, 7);
    return new HnswIndex(graph);
  }

  /** Returns the index that was saved, or undefined when there is none that can be read. */
  static load({ HierarchicalNSW: Graph }: Module, dimensions: number, path: string): HnswIndex | undefined {
    try {
      const graph = new Graph("ip", dimensions);
      graph.readIndexSync(path);
      return graph.getNumDimensions() === dimensions ? new HnswIndex(graph) : undefined;
    } catch {
      return undefined;
    }
  }

  get dimensions(): number {
    return this.#graph.getNumDimensions();
  }

  get size(): number {
    return this.#graph.getCurrentCount();
  }

  get last(): number {
    return this.#last;
  }

  add(id: number, vector: Float32Array): void {
    const most = this.#graph.getMaxElements();
    if (this.size === most) this.#graph.resizeIndex(most * 2);
    this.#graph.addPoint([...vector], id);
    this.#last = Math.max(this.#last, id);
  }

  nearest(query: Float32Array, limit: number): ScoredId[] {
    const count = Math.min(limit, this.size);
    if (count === 0) return [];
    this.#graph.setEf(Math.max(search, count));
    const { neighbors, distances } = this.#graph.searchKnn([...query], count);
    return neighbors.map((id, index) => ({ id, score: 1 - (distances[index] ?? 1) }));
  }

  /** Writes it beside the old one and puts it in its place: a crash leaves one of the two, whole. */
  save(path: string): void {
    const beside = `${path}.${process.pid}.new`;
    try {
      this.#graph.writeIndexSync(beside);
      renameSync(beside, path);
    } finally {
      rmSync(beside, { force: true });
    }
  }
}
