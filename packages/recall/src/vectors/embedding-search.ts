import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { setImmediate } from "node:timers/promises";
import type { PassageFilter, ScoredId } from "../passage.js";
import { RecallError } from "../recall-error.js";
import type { IdRange, VectorRow } from "../stores/passage-store.js";
import { embedQuery, embedTexts } from "./embed-texts.js";
import { ExactIndex } from "./exact-index.js";
import type { VectorIndex } from "./exact-index.js";
import { Graphs } from "./graphs.js";
import type { GraphsOptions } from "./graphs.js";
import { HnswIndex } from "./hnsw-index.js";

export interface EmbeddingSearchOptions extends GraphsOptions {
  /** Any LangChain embeddings. A new name in `model` computes all vectors again. */
  readonly embeddings: EmbeddingsInterface;
  /** Passages of a thread from which a search uses a graph. @default 4,000,000 / dimensions of a vector */
  readonly graphFrom?: number;
}

const batch = 256;
/** A scan of this many numbers (10,000 vectors of 384) takes about 25 ms; adding a vector to a graph takes about 1 ms. */
const maxScanned = 4_000_000;

/** Searches by meaning through embeddings. The store holds the vectors, and memory holds the index of each thread. */
export class EmbeddingSearch implements VectorSearch {
  readonly #options: EmbeddingSearchOptions;
  readonly #graphs: Graphs;
  readonly #indexes = new Map<string, VectorIndex>();
  readonly #updates = new Map<string, Promise<void>>();
  /** Graphs under construction. A thread whose graph failed stays in the map, so that none is tried again. */
  readonly #growing = new Map<string, Promise<void>>();
  #closed = false;

  constructor(options: EmbeddingSearchOptions) {
    this.#options = options;
    this.#graphs = new Graphs(options);
  }

  /** Adds new passages of a thread. Parallel searches share one update, so no text is embedded twice. */
  update(thread: string): Promise<void> {
    const known = this.#updates.get(thread);
    if (known !== undefined) return known;
    const update = this.#addNew(thread).finally(() => this.#updates.delete(thread));
    this.#updates.set(thread, update);
    return update;
  }

  async nearest(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    const index = this.#indexes.get(filter.thread);
    if (index === undefined) return [];
    const vector = await embedQuery(this.#options.embeddings, query);
    requireSize(vector, index, this.#options.model);
    return index.nearest(vector, limit).filter(({ score }) => score > 0);
  }

  /** Resolves when the graph under construction of a thread, if any, is in use. Never rejects. */
  async settled(thread: string): Promise<void> {
    await this.#growing.get(thread);
  }

  async removeThread(thread: string, ids: IdRange | undefined): Promise<void> {
    this.#forget(thread);
    if (ids !== undefined) await this.#graphs.remove(ids);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const [thread, index] of this.#indexes) {
      if (!(index instanceof HnswIndex)) continue;
      const ids = await this.#options.table.idsOf(thread);
      if (ids !== undefined) await this.#graphs.save(index, ids);
    }
  }

  #forget(thread: string): void {
    this.#indexes.delete(thread);
    this.#growing.delete(thread);
  }

  async #addNew(thread: string): Promise<void> {
    const { table, model } = this.#options;
    const ids = await table.idsOf(thread);
    // Another process removed the thread or rebuilt the tables: its passages have new ids.
    if (ids === undefined || (this.#indexes.get(thread)?.last ?? Infinity) < ids[0]) this.#forget(thread);
    if (ids === undefined) return;
    for (;;) {
      const last = this.#indexes.get(thread)?.last ?? 0;
      const rows = await table.vectors.after(last, { model, ids, limit: batch });
      if (rows.length === 0) break;
      const vectors = await this.#vectorsOf(rows);
      const dimensions = vectors[0]?.vector.length ?? 0;
      if (!this.#indexes.has(thread))
        this.#indexes.set(thread, (await this.#graphs.kept(ids, dimensions)) ?? new ExactIndex(dimensions));
      this.#add(thread, vectors);
      // An encoder in this process never yields: without a pause, the timeout of a search could not fire.
      await setImmediate();
    }
    if (!this.#growing.has(thread) && (await this.#needsGraph(thread, ids)))
      this.#growing.set(thread, this.#grow(thread, ids));
  }

  #add(thread: string, rows: readonly Embedded[]): void {
    const index = this.#indexes.get(thread);
    if (index === undefined) return;
    for (const { id, vector } of rows) {
      requireSize(vector, index, this.#options.model);
      if (id > index.last) index.add(id, vector);
    }
  }

  async #vectorsOf(rows: readonly VectorRow[]): Promise<readonly Embedded[]> {
    const { table, model, embeddings } = this.#options;
    const texts = [...new Set(rows.flatMap(({ vector, text }) => (vector === undefined ? [text] : [])))];
    const made = texts.length === 0 ? [] : await embedTexts(embeddings, texts);
    const pairs = made.flatMap((vector, at) => ({ text: texts[at] ?? "", vector }));
    if (pairs.length > 0) await table.vectors.add(model, pairs);
    const vectors = new Map(pairs.map(({ text, vector }) => [text, vector]));
    return rows.map(({ id, text, vector = vectors.get(text) ?? new Float32Array() }) => ({ id, vector }));
  }

  async #needsGraph(thread: string, ids: IdRange): Promise<boolean> {
    const index = this.#indexes.get(thread);
    if (index instanceof HnswIndex) return this.#graphs.hasOutgrown(index, ids);
    const { graphFrom = maxScanned / (index?.dimensions ?? 1) } = this.#options;
    return index !== undefined && index.size >= graphFrom;
  }

  /** Builds or measures the graph of a thread. Never rejects: without a new graph, searches use the current index. */
  async #grow(thread: string, ids: IdRange): Promise<void> {
    const index = this.#indexes.get(thread);
    const isWanted = (): boolean => !this.#closed && this.#indexes.get(thread) === index;
    try {
      if (index instanceof HnswIndex)
        await this.#graphs.measure(ids, index, await this.#scanned(ids, index, isWanted));
      const graph = index instanceof ExactIndex ? await this.#graphs.grow(ids, index, isWanted) : undefined;
      if (graph !== undefined && isWanted()) this.#indexes.set(thread, graph);
      if (graph !== undefined || index instanceof HnswIndex) this.#growing.delete(thread);
    } catch (error) {
      if (!this.#closed) this.#options.onEvent?.({ type: "embeddings_failed", error });
    }
  }

  /** Returns an exact index of the vectors of a graph, read from the store. */
  async #scanned(ids: IdRange, { dimensions }: HnswIndex, isWanted: () => boolean): Promise<ExactIndex> {
    const exact = new ExactIndex(dimensions);
    const { table, model } = this.#options;
    while (isWanted()) {
      const rows = await table.vectors.after(exact.last, { model, ids, limit: batch });
      for (const { id, vector } of rows) if (vector !== undefined) exact.add(id, vector);
      if (rows.length < batch) break;
      await setImmediate();
    }
    return exact;
  }
}

interface Embedded {
  readonly id: number;
  readonly vector: Float32Array;
}

function requireSize(vector: Float32Array, { dimensions }: VectorIndex, model: string): void {
  if (vector.length === dimensions) return;
  throw new RecallError(
    "bad-embedding",
    `A vector of ${model} has ${vector.length} dimensions; earlier vectors have ${dimensions}. ` +
      "Give embeddingModel a new name when the model changes.",
  );
}

/** The search by meaning that runs next to the search by words. */
export interface VectorSearch {
  /** Adds the new passages of a thread. */
  update(thread: string): Promise<void>;
  /** Returns the nearest passages of a thread, nearest first. */
  nearest(query: string, filter: PassageFilter, limit: number): Promise<readonly ScoredId[]>;
  /** Removes a thread. `ids` are the ids that its passages had. */
  removeThread(thread: string, ids: IdRange | undefined): Promise<void>;
  /** Saves what the next process can reuse. */
  close(): Promise<void>;
}
