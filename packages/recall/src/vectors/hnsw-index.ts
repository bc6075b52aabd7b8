import type * as Hnsw from "hnswlib-node";
import { renameSync, rmSync } from "node:fs";
import type { ScoredId } from "../passage.js";
import type { VectorIndex } from "./exact-index.js";

/** HNSW's M and efConstruction. Its ef, the width of a search, is measured for each graph. */
const links = 16;
const construction = 200;

type Module = Pick<typeof Hnsw, "HierarchicalNSW">;

interface LoadOptions {
  readonly dimensions: number;
  readonly base: number;
}

/** Returns the native module, or undefined when it is not installed or not built. */
export async function loadHnsw(): Promise<Module | undefined> {
  try {
    // Node exposes only the default export of this CommonJS module; test runners expose the named exports too.
    const loaded: Partial<Module> & { readonly default?: Module } = await import("hnswlib-node");
    const { HierarchicalNSW = loaded.default?.HierarchicalNSW } = loaded;
    return HierarchicalNSW && { HierarchicalNSW };
  } catch {
    return undefined;
  }
}

/** Searches an HNSW graph: nearly exact, and fast for millions of vectors. */
export class HnswIndex implements VectorIndex {
  readonly #graph: Hnsw.HierarchicalNSW;
  /** The difference between an id and its label, which has 32 bits. */
  readonly #base: number;
  #last = 0;
  #width = 128;

  private constructor(graph: Hnsw.HierarchicalNSW, base: number) {
    this.#graph = graph;
    this.#base = base;
    for (const label of graph.getIdsList()) this.#last = Math.max(this.#last, base + label);
  }

  /** Returns an empty index. `base` is less than every id to come, by less than 2^32. */
  static empty({ HierarchicalNSW: Graph }: Module, dimensions: number, base: number): HnswIndex {
    const graph = new Graph("ip", dimensions);
    graph.initIndex(1_024, links, construction, 7);
    return new HnswIndex(graph, base);
  }

  /** Returns a saved index, or undefined when there is no readable one. */
  static load({ HierarchicalNSW: Graph }: Module, path: string, options: LoadOptions): HnswIndex | undefined {
    const { dimensions, base } = options;
    try {
      const graph = new Graph("ip", dimensions);
      graph.readIndexSync(path);
      return graph.getNumDimensions() === dimensions ? new HnswIndex(graph, base) : undefined;
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
    const capacity = this.#graph.getMaxElements();
    if (this.size === capacity) this.#graph.resizeIndex(capacity * 2);
    this.#graph.addPoint(Array.from(vector), id - this.#base);
    this.#last = Math.max(this.#last, id);
  }

  /** HNSW's ef: the candidates that a search considers. A wider search is more exact. @default 128 */
  get width(): number {
    return this.#width;
  }

  set width(width: number) {
    this.#width = width;
  }

  nearest(query: Float32Array, limit: number, width = this.#width): ScoredId[] {
    const count = Math.min(limit, this.size);
    if (count === 0) return [];
    this.#graph.setEf(Math.max(width, count));
    const { neighbors, distances } = this.#graph.searchKnn(Array.from(query), count);
    return neighbors.map((label, index) => ({ id: this.#base + label, score: 1 - (distances[index] ?? 1) }));
  }

  /** Writes a new file and renames it over the old one: a crash leaves one whole file. */
  save(path: string): void {
    const temporary = `${path}.${process.pid}.new`;
    try {
      this.#graph.writeIndexSync(temporary);
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}
