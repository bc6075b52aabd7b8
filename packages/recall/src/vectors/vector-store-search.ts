import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { PassageFilter, ScoredId } from "../passage.js";
import type { PassageStore } from "../stores/passage-store.js";
import type { VectorSearch } from "./embedding-search.js";

/** Searches by meaning through a LangChain vector store, which embeds and stores the texts itself. */
export class VectorStoreSearch implements VectorSearch {
  readonly #store: VectorStoreInterface;
  readonly #table: PassageStore;
  /** Last passage of each thread that this process has added to the store. */
  readonly #added = new Map<string, number>();

  constructor(store: VectorStoreInterface, table: PassageStore) {
    this.#store = store;
    this.#table = table;
  }

  async update(thread: string): Promise<void> {
    const ids = await this.#table.idsOf(thread);
    if (ids === undefined) return;
    const { vectors } = this.#table;
    const model = markerOf(thread);
    for (;;) {
      const rows = await vectors.after(this.#added.get(thread) ?? 0, { model, ids, limit: 256 });
      const last = rows.at(-1)?.id;
      if (last === undefined) return;
      const missing = new Map(
        rows.flatMap(({ id, text, vector }) => (vector === undefined ? [[text, id] as const] : [])),
      );
      const documents = [...missing].map(([text, id]) => ({
        pageContent: text,
        metadata: { palimpsest: id },
      }));
      if (documents.length > 0) await this.#store.addDocuments(documents);
      await vectors.add(
        model,
        [...missing.keys()].map((text) => ({ text, vector: new Float32Array(1) })),
      );
      this.#added.set(thread, last);
    }
  }

  async nearest(query: string, _filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    const found = await this.#store.similaritySearchWithScore(query, limit);
    return found.map(([{ metadata }], rank) => ({ id: Number(metadata["palimpsest"]), score: -rank }));
  }

  /** Few stores can delete. A hit of a removed thread is in no table, and the search skips it. */
  async removeThread(thread: string): Promise<void> {
    this.#added.delete(thread);
    await this.#table.vectors.remove(markerOf(thread));
  }

  async close(): Promise<void> {}
}

/** Takes the place of a model name. It contains the thread, because a hit names one passage, so each thread adds its own texts. */
function markerOf(thread: string): string {
  return `store ${thread}`;
}
