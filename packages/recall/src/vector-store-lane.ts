import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { PassageTable, ScoredId } from "./passage-table.js";
import type { PassageFilter } from "./passage.js";
import type { VectorLane } from "./vector-lane.js";

/** Searches by meaning through a LangChain vector store, which embeds and keeps the texts itself. */
export class VectorStoreLane implements VectorLane {
  readonly #store: VectorStoreInterface;
  readonly #table: PassageTable;

  constructor(store: VectorStoreInterface, table: PassageTable) {
    this.#store = store;
    this.#table = table;
  }

  async update(thread: string): Promise<void> {
    for (;;) {
      const missing = this.#table.withoutVector(thread, markerOf(thread), 256);
      if (missing.length === 0) return;
      await this.#store.addDocuments(
        missing.map(({ id, text }) => ({ pageContent: text, metadata: { palimpsest: id } })),
      );
      for (const { text } of missing) this.#table.addVector(markerOf(thread), text, new Float32Array(1));
    }
  }

  async nearest(query: string, _filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    const found = await this.#store.similaritySearchWithScore(query, limit);
    return found.map(([{ metadata }], rank) => ({ id: Number(metadata["palimpsest"]), score: -rank }));
  }

  /** Few stores can delete; what they still find of a removed thread is in no table, and is passed over. */
  removeThread(thread: string): void {
    this.#table.removeVectors(markerOf(thread));
  }

  close(): void {}
}

/** Stands where the vectors of a model would: a store is given the text of each thread, for a hit names one passage. */
function markerOf(thread: string): string {
  return `store ${thread}`;
}
