import type { PostgresSource } from "@palimpsest/sql";
import { checkOptions, checkPath, checkSearch } from "./check-arguments.js";
import type { Hit, IndexedFile, RecallOptions, RecallPostgresOptions, SearchOptions } from "./options.js";
import { splitPassages } from "./passage.js";
import type { Passage, PassageFilter, ScoredId } from "./passage.js";
import { RecallError } from "./recall-error.js";
import { LibsqlStore } from "./stores/libsql/libsql-store.js";
import type { PassageStore } from "./stores/passage-store.js";
import { PostgresStore } from "./stores/postgres/postgres-store.js";
import { openPostgres } from "./stores/postgres/tables.js";
import { EmbeddingSearch } from "./vectors/embedding-search.js";
import type { VectorSearch } from "./vectors/embedding-search.js";
import { VectorStoreSearch } from "./vectors/vector-store-search.js";
import { byPhrases } from "./words/phrases.js";
import { byRecency, fuse, smooth, weighed, withNeighbours } from "./words/ranking.js";

/** Opens a store, which calls back when it had to rebuild itself. */
type OpenStore = (onRebuilt: (error: unknown) => void) => PassageStore;

interface WordSearch {
  readonly weigh: SearchOptions["weigh"];
  readonly neighbourShare: SearchOptions["neighbourShare"];
  readonly recency: number;
  /** Passages that are weighed. */
  readonly candidates: number;
}

/** A search index over folded messages. The archive is the source of truth: a lost or damaged index is filled again from it. */
export class RecallIndex {
  readonly #path: string | undefined;
  readonly #options: RecallOptions;
  readonly #store: PassageStore;
  #vectors: VectorSearch | undefined;

  private constructor(open: OpenStore, options: RecallOptions, path?: string) {
    this.#path = path;
    this.#options = options;
    this.#store = open((error) => {
      this.#vectors = this.#openVectors();
      options.onEvent?.({ type: "index_rebuilt", error });
    });
    this.#vectors = this.#openVectors();
  }

  /** Returns an index in the memory of this process. */
  static inMemory(options: RecallOptions = {}): RecallIndex {
    checkOptions(options);
    return new RecallIndex((onRebuilt) => new LibsqlStore(":memory:", onRebuilt), options);
  }

  /** Returns the index in an SQLite file, which several processes may use. Rebuilds a damaged file. */
  static fromPath(path: string, options: RecallOptions = {}): RecallIndex {
    checkPath(path);
    checkOptions(options);
    return new RecallIndex((onRebuilt) => new LibsqlStore(path, onRebuilt), options, path);
  }

  /**
   * Returns the index in a Postgres database, which processes on any number of machines may use. `source` is a url, the options
   * of `new pg.Pool`, or an open `pg.Pool`, which `close` leaves open. Needs the package `pg`. Throws a RecallError
   * "bad-option", "missing-package", "newer-version", or "busy" when the database does not answer.
   */
  static async fromPostgres(
    source: PostgresSource,
    options: RecallPostgresOptions = {},
  ): Promise<RecallIndex> {
    checkOptions(options, ["connections", "schema"]);
    const opened = await openPostgres(source, options);
    return new RecallIndex((onRebuilt) => new PostgresStore(opened, onRebuilt), options);
  }

  /** Returns the paths that the index does not contain yet. */
  async missing(thread: string, paths: readonly string[]): Promise<string[]> {
    return this.#store.missing(thread, paths);
  }

  /**
   * Adds a file in passages of at most 12 lines; with `starts`, a message of up to 1,600 characters is one passage. Adding an
   * indexed file again costs one lookup.
   */
  async addFile(file: IndexedFile): Promise<void> {
    if ((await this.missing(file.thread, [file.path])).length > 0) await this.addFiles([file]);
  }

  /** Adds files as `addFile` does, in one transaction, which costs less for each. */
  async addFiles(files: readonly IndexedFile[]): Promise<void> {
    await this.#store.addFiles(
      files.map(({ text, starts, ...rest }) => ({
        ...rest,
        passages: splitPassages(text, starts === undefined ? {} : { starts }).map((passage) => ({
          ...rest,
          ...passage,
        })),
      })),
    );
  }

  /** Adds passages in one transaction. Passages that are neighbours in a file should follow each other. */
  async add(passages: readonly Passage[]): Promise<void> {
    await this.#store.add(passages);
  }

  /**
   * Returns the passages that match a question best, best first. When the embeddings fail, it searches by words only and
   * reports the failure through `onEvent`.
   */
  async search(query: string, options: SearchOptions): Promise<Hit[]> {
    checkSearch(query, options);
    const { limit = 5, weigh, neighbourShare, recency = 0, ...filter } = options;
    const candidates = Math.max(50, limit * 10);
    const words = await this.#byWords(query, filter, { candidates, weigh, neighbourShare, recency });
    const meaning = await this.#nearest(query, filter, candidates);
    const ranked = meaning.length === 0 ? words : fuse(words, meaning);
    // By text: several files may hold the same lines.
    const hits = new Map<string, Hit>();
    // Most ranked passages pass the filter, so the first read is usually enough.
    for (let from = 0; hits.size < limit && from < Math.min(ranked.length, candidates * 2); from += limit) {
      for (const hit of await this.#read(ranked.slice(from, from + limit), filter))
        if (!hits.has(hit.text)) hits.set(hit.text, hit);
    }
    return [...hits.values()].slice(0, limit);
  }

  /** Deletes a thread from the index. */
  async removeThread(thread: string): Promise<void> {
    const ids = await this.#store.removeThread(thread);
    await this.#vectors?.removeThread(thread, ids);
  }

  /**
   * Removes the bytes and words of what was deleted from the files of the index, for an erasure. Throws a RecallError "unsupported"
   * with a `vectorStore`, whose vectors this index cannot delete.
   */
  async scrub(): Promise<void> {
    await this.#store.scrub();
    if (this.#options.vectorStore === undefined) return;
    throw new RecallError(
      "unsupported",
      "The vectors of deleted passages are still in the vectorStore of the index: delete them there.",
    );
  }

  /** Counts the passages of all threads, and all bytes of the tables of the index. Vectors of a `vectorStore` are not counted. */
  async size(): Promise<{ readonly rows: number; readonly bytes: number }> {
    return this.#store.size();
  }

  async close(): Promise<void> {
    await this.#vectors?.close();
    await this.#store.close();
  }

  async #byWords(
    query: string,
    filter: PassageFilter,
    { candidates, weigh, neighbourShare, recency }: WordSearch,
  ): Promise<ScoredId[]> {
    const found = await this.#store.rank(query, filter, candidates);
    const paths = await this.#store.paths(withNeighbours(found));
    const usual = smooth(found, paths, this.#options.neighbourShare);
    const ids = usual.slice(0, candidates).map(({ id }) => id);
    const read = await this.#store.read(ids, filter);
    const ranked = neighbourShare === undefined ? usual : smooth(found, paths, neighbourShare(read));
    const first = ranked.slice(0, candidates);
    const texts = new Map(read.map(({ id, text }) => [id, text]));
    const weights = weigh?.(read);
    const factors = new Map(read.map(({ id }, at) => [id, weights?.[at] ?? 1]));
    const byWords = weighed(byPhrases(first, texts, query), factors);
    return [...byRecency(byWords, recency), ...ranked.slice(candidates)];
  }

  /** Returns the passages that pass the filter, in the order of the ranking. */
  async #read(ranked: readonly ScoredId[], filter: PassageFilter): Promise<Hit[]> {
    const ids = ranked.map(({ id }) => id);
    const stored = new Map((await this.#store.read(ids, filter)).map(({ id, ...passage }) => [id, passage]));
    return ranked.flatMap(({ id, score }) => {
      const passage = stored.get(id);
      return passage === undefined ? [] : [{ ...passage, score }];
    });
  }

  async #nearest(query: string, filter: PassageFilter, limit: number): Promise<readonly ScoredId[]> {
    const vectors = this.#vectors;
    if (vectors === undefined) return [];
    const search = async (): Promise<readonly ScoredId[]> => {
      await vectors.update(filter.thread);
      return vectors.nearest(query, filter, limit);
    };
    try {
      return await withTimeout(this.#options.embeddingTimeout ?? 2_000, search);
    } catch (error) {
      this.#options.onEvent?.({ type: "embeddings_failed", error });
      return [];
    }
  }

  #openVectors(): VectorSearch | undefined {
    const { embeddings, vectorStore, embeddingModel, graphFrom, onEvent } = this.#options;
    const table = this.#store;
    if (vectorStore !== undefined) return new VectorStoreSearch(vectorStore, table);
    if (embeddings === undefined) return undefined;
    return new EmbeddingSearch({
      embeddings,
      model: embeddingModel ?? "embeddings",
      table,
      ...(this.#path === undefined ? {} : { path: this.#path }),
      ...(graphFrom === undefined ? {} : { graphFrom }),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
  }
}

async function withTimeout<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
