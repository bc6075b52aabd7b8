import type * as Hnsw from "hnswlib-node";
import { renameSync, rmSync } from "node:fs";
import type { ScoredId } from "../passage.js";
import type { VectorIndex } from "./exact-index.js";

/** Links of a vector, and candidates looked at when it is placed. How wide to search is measured for each graph. */
const links = 16;
const construction = 200;

type Module = Pick<typeof Hnsw, "HierarchicalNSW">;

interface LoadOptions {
  readonly dimensions: number;
  readonly base: number;
}

/** Returns the native module, or undefined where it is not installed or was not built. */
export async function loadHnsw(): Promise<Module | undefined> {
  try {
    // Node sees no names in this CommonJS module, only its default; test runners see both.
    const loaded: Partial<Module> & { readonly default?: Module } = await import("hnswlib-node");
    const { HierarchicalNSW = loaded.default?.HierarchicalNSW } = loaded;
    return HierarchicalNSW && { HierarchicalNSW };
  } catch {
    return undefined;
  }
}

/** Compares with the vectors along a graph of near ones: nearly exact, and fast for millions. */
export class HnswIndex implements VectorIndex {
  readonly #graph: Hnsw.HierarchicalNSW;
  /** What an id is more than its label: labels have 32 bits. */
  readonly #base: number;
  #last = 0;
  #width = 128;

  private constructor(graph: Hnsw.HierarchicalNSW, base: number) {
    this.#graph = graph;
    this.#base = base;
    for (const label of graph.getIdsList()) this.#last = Math.max(this.#last, base + label);
  }

  /** `base` is less than every id that will come, by less than 2^32. */
  static empty({ HierarchicalNSW: Graph }: Module, dimensions: number, base: number): HnswIndex {
    const graph = new Graph("ip", dimensions);
    graph.initIndex(1_024, links, construction, 7);
    return new HnswIndex(graph, base);
  }

  /** Returns the index that was saved, or undefined when there is none that can be read. */
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
    const most = this.#graph.getMaxElements();
    if (this.size === most) this.#graph.resizeIndex(most * 2);
    this.#graph.addPoint(Array.from(vector), id - this.#base);
    this.#last = Math.max(this.#last, id);
  }

  /** Candidates that a search looks at (ef): the more, the nearer to exact. @default 128 */
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
