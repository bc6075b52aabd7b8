import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { embedQuery, embedTexts } from "./embed-texts.js";
import { ExactIndex } from "./exact-index.js";
import { HnswIndex, loadHnsw } from "./hnsw-index.js";
import { scopeOf } from "./passage-rows.js";
import type { PassageTable, ScoredId } from "./passage-table.js";
import type { PassageFilter } from "./passage.js";
import { RecallError } from "./recall-error.js";
import type { RecallEvent } from "./recall-event.js";
import type { VectorIndex } from "./vector-index.js";
import type { VectorLane } from "./vector-lane.js";

export interface EmbeddingLaneOptions {
  /** Any LangChain embeddings. */
  readonly embeddings: EmbeddingsInterface;
  /** Names what the vectors are made with; another name makes them anew. */
  readonly model: string;
  readonly table: PassageTable;
  /** File of the index; the graphs are kept beside it. Absent: they are made anew at each start. */
  readonly path?: string;
  /** From so many passages of a thread on the graph of `hnswlib-node` is used, where it is installed. @default 20,000 */
  readonly graphFrom?: number;
  readonly onEvent?: (event: RecallEvent) => void;
}

const batch = 256;

/** Searches by meaning through embeddings: vectors are kept in the table, the index of a thread in memory. */
export class EmbeddingLane implements VectorLane {
  readonly #options: EmbeddingLaneOptions;
  readonly #indexes = new Map<string, VectorIndex>();
  #saidMissing = false;

  constructor(options: EmbeddingLaneOptions) {
    this.#options = options;
  }

  async update(thread: string): Promise<void> {
    const { table, model, embeddings } = this.#options;
    for (;;) {
      const missing = table.withoutVector(thread, model, batch);
      if (missing.length === 0) break;
      const vectors = await embedTexts(
        embeddings,
        missing.map(({ text }) => text),
      );
      for (const [index, { text }] of missing.entries()) {
        const vector = vectors[index];
        if (vector !== undefined) table.addVector(model, text, vector);
      }
    }
    await this.#fill(thread);
  }

  async nearest(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    const index = this.#indexes.get(filter.thread);
    if (index === undefined) return [];
    const vector = await embedQuery(this.#options.embeddings, query);
    requireSize(vector, index, this.#options.model);
    return index.nearest(vector, limit);
  }

  removeThread(thread: string): void {
    this.#indexes.delete(thread);
  }

  close(): void {
    for (const [thread, index] of this.#indexes) {
      const path = this.#graphPath(thread);
      if (index instanceof HnswIndex && path !== undefined) index.save(path);
    }
  }

  async #fill(thread: string): Promise<void> {
    const { table, model, graphFrom = 20_000 } = this.#options;
    let index = this.#indexes.get(thread);
    for (const { id, vector } of table.vectors(thread, model, index?.last ?? 0)) {
      index ??= await this.#open(thread, vector.length, id);
      requireSize(vector, index, model);
      if (id > index.last) index.add(id, vector);
    }
    if (index === undefined) return;
    const large = index instanceof ExactIndex && index.size >= graphFrom;
    this.#indexes.set(thread, large ? await this.#graph(thread, index) : index);
  }

  async #open(thread: string, dimensions: number, first: number): Promise<VectorIndex> {
    const path = this.#graphPath(thread);
    const module = path === undefined ? undefined : await loadHnsw();
    const saved = module && path ? HnswIndex.load(module, dimensions, path) : undefined;
    // A graph of ids that the table does not have is of another file.
    return saved !== undefined && saved.last >= first ? saved : new ExactIndex(dimensions);
  }

  async #graph(thread: string, exact: VectorIndex): Promise<VectorIndex> {
    const module = await loadHnsw();
    if (module === undefined) {
      if (!this.#saidMissing) this.#options.onEvent?.({ type: "graph_missing", passages: exact.size });
      this.#saidMissing = true;
      return exact;
    }
    const graph = HnswIndex.empty(module, exact.dimensions);
    const { table, model } = this.#options;
    for (const { id, vector } of table.vectors(thread, model, 0)) graph.add(id, vector);
    return graph;
  }

  #graphPath(thread: string): string | undefined {
    const { path, model } = this.#options;
    return path === undefined ? undefined : `${path}.${scopeOf(`${model} ${thread}`)}.hnsw`;
  }
}

function requireSize(vector: Float32Array, { dimensions }: VectorIndex, model: string): void {
  if (vector.length === dimensions) return;
  throw new RecallError(
    "bad-embedding",
    `A vector of ${model} has ${vector.length} numbers, those before ${dimensions}. ` +
      "Give embeddingModel another name when the model has changed.",
  );
}
