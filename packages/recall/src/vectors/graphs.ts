import { rmSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { RecallEvent } from "../options.js";
import { digestOf } from "../stores/passage-store.js";
import type { IdRange, PassageStore } from "../stores/passage-store.js";
import type { ExactIndex } from "./exact-index.js";
import { HnswIndex, loadHnsw } from "./hnsw-index.js";
import { searchWidth, maxWidth } from "./search-width.js";

export interface GraphsOptions {
  readonly model: string;
  readonly table: PassageStore;
  /** File of the index; the graphs are saved next to it. @default none: each process builds its graphs again */
  readonly path?: string;
  /** Loads the native module. @default the one of `hnswlib-node` */
  readonly loadGraphs?: typeof loadHnsw;
  readonly onEvent?: (event: RecallEvent) => void;
}

/** Adding a vector to a graph takes about 1 ms. The event loop runs after this many. */
const yieldEvery = 16;

/** Builds the graphs of threads, measures the width of their searches, and saves them next to the index file. */
export class Graphs {
  readonly #options: GraphsOptions;
  #saidMissing = false;

  constructor(options: GraphsOptions) {
    this.#options = options;
  }

  /** Returns the saved graph of a thread, if it belongs to these tables and is readable. */
  async kept(ids: IdRange, dimensions: number): Promise<HnswIndex | undefined> {
    const path = await this.#pathOf(ids);
    const measured = await this.#options.table.vectors.measured(this.#options.model, ids);
    if (path === undefined || measured === undefined) return undefined;
    const module = await this.#load();
    const graph = module && HnswIndex.load(module, path, { dimensions, base: ids[0] - 1 });
    if (graph !== undefined) graph.width = measured.width;
    return graph;
  }

  /**
   * Returns a graph of all vectors of an index, including vectors that are added meanwhile. Returns undefined when no graph
   * is exact enough, or when it is no longer wanted. Lets the event loop run between additions.
   */
  async grow(ids: IdRange, exact: ExactIndex, isWanted: () => boolean): Promise<HnswIndex | undefined> {
    const module = await this.#load();
    if (module === undefined) {
      if (!this.#saidMissing) this.#options.onEvent?.({ type: "graph_missing", passages: exact.size });
      this.#saidMissing = true;
      return undefined;
    }
    const graph = HnswIndex.empty(module, exact.dimensions, ids[0] - 1);
    await this.#fill(graph, exact, isWanted);
    const width = await searchWidth(graph, exact, isWanted);
    if (!isWanted()) return undefined;
    if (width === undefined) {
      this.#options.onEvent?.({ type: "graph_inexact", passages: exact.size });
      return undefined;
    }
    await this.#fill(graph, exact, isWanted);
    graph.width = width;
    await this.#options.table.vectors.keepMeasured(this.#options.model, ids, { width, size: graph.size });
    return graph;
  }

  /** Measures the width of a graph's searches again, and takes the maximum when even that finds too few. */
  async measure(ids: IdRange, graph: HnswIndex, exact: ExactIndex): Promise<void> {
    const width = (await searchWidth(graph, exact)) ?? maxWidth;
    graph.width = width;
    await this.#options.table.vectors.keepMeasured(this.#options.model, ids, { width, size: graph.size });
  }

  /** Returns true when a graph has doubled since its width was measured. */
  async hasOutgrown(graph: HnswIndex, ids: IdRange): Promise<boolean> {
    const { size = 0 } = (await this.#options.table.vectors.measured(this.#options.model, ids)) ?? {};
    return graph.size >= 2 * size;
  }

  async save(graph: HnswIndex, ids: IdRange): Promise<void> {
    const path = await this.#pathOf(ids);
    if (path !== undefined) graph.save(path);
  }

  async remove(ids: IdRange): Promise<void> {
    const path = await this.#pathOf(ids);
    if (path !== undefined) rmSync(path, { force: true });
  }

  async #fill(graph: HnswIndex, exact: ExactIndex, isWanted: () => boolean): Promise<void> {
    for (let at = graph.size; at < exact.size && isWanted(); at++) {
      const { id, vector } = exact.at(at);
      graph.add(id, vector);
      if (at % yieldEvery === yieldEvery - 1) await setImmediate();
    }
  }

  async #load(): ReturnType<typeof loadHnsw> {
    return (this.#options.loadGraphs ?? loadHnsw)();
  }

  /** The name is unique to the tables and the thread: a rebuilt index never reads an old graph. */
  async #pathOf(ids: IdRange): Promise<string | undefined> {
    const { path, model, table } = this.#options;
    if (path === undefined) return undefined;
    return `${path}.${digestOf(`${await table.birth()} ${model} ${ids[0]}`)}.hnsw`;
  }
}
