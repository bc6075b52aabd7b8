import type { Passage, PassageFilter, ScoredId, StoredPassage } from "../../passage.js";
import type { FilePassages, IdRange, PassageStore, StoredVectors } from "../passage-store.js";
import { isBroken, openTables, rebuildTables, reopenTables } from "./open-tables.js";
import { DamagedText } from "./passage-rows.js";
import { PassageTable } from "./passage-table.js";

/** Keeps an index in one SQLite file, or in memory. Rebuilds a damaged file and repeats the call that found the damage. */
export class LibsqlStore implements PassageStore {
  readonly vectors: StoredVectors = {
    after: async (id, page) => this.#with(({ vectors }) => vectors.after(id, page)),
    add: async (model, added) => this.#with(({ vectors }) => vectors.add(model, added)),
    measured: async (model, ids) => this.#with(({ vectors }) => vectors.measured(model, ids)),
    keepMeasured: async (model, ids, one) =>
      this.#with(({ vectors }) => vectors.keepMeasured(model, ids, one)),
    remove: async (model) => this.#with(({ vectors }) => vectors.remove(model)),
  };
  readonly #path: string;
  readonly #onRebuilt: (error: unknown) => void;
  #table: PassageTable;

  /** @throws RecallError "newer-version" for a file that a newer version of this package wrote. */
  constructor(path: string, onRebuilt: (error: unknown) => void) {
    this.#path = path;
    this.#onRebuilt = onRebuilt;
    this.#table = new PassageTable(openTables(path, onRebuilt));
  }

  async birth(): Promise<string> {
    return this.#with((table) => table.birth);
  }

  async add(passages: readonly Passage[]): Promise<void> {
    this.#with((table) => table.add(passages));
  }

  async addFiles(files: readonly FilePassages[]): Promise<void> {
    this.#with((table) => table.addFiles(files));
  }

  async missing(thread: string, paths: readonly string[]): Promise<string[]> {
    return this.#with((table) => table.missing(thread, paths));
  }

  async rank(query: string, filter: PassageFilter, limit: number): Promise<ScoredId[]> {
    return this.#with((table) => table.rank(query, filter, limit));
  }

  async idsOf(thread: string): Promise<IdRange | undefined> {
    return this.#with((table) => table.idsOf(thread));
  }

  async paths(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return this.#with((table) => table.paths(ids));
  }

  async read(ids: readonly number[], filter: PassageFilter): Promise<StoredPassage[]> {
    return this.#with((table) => table.read(ids, filter));
  }

  async removeThread(thread: string): Promise<IdRange | undefined> {
    return this.#with((table) => table.removeThread(thread));
  }

  async scrub(): Promise<void> {
    this.#with((table) => table.scrub());
  }

  async size(): Promise<{ readonly rows: number; readonly bytes: number }> {
    return this.#with((table) => table.size());
  }

  async close(): Promise<void> {
    this.#table.close();
  }

  /** Rebuilding loses nothing: the archive holds every text. */
  #with<Result>(work: (table: PassageTable) => Result): Result {
    try {
      return work(this.#table);
    } catch (error) {
      const isText = error instanceof DamagedText;
      if (this.#path === ":memory:" || !(isText || isBroken(error))) throw error;
      this.#table.close();
      this.#table = new PassageTable(isText ? rebuildTables(this.#path) : reopenTables(this.#path));
      this.#onRebuilt(error);
      return work(this.#table);
    }
  }
}
