import type { Hit, IndexedFile, RecallOptions, RecallPostgresOptions, SearchOptions } from "./options.js";
import { splitPassages } from "./passage.js";
import type { Passage, PassageFilter, ScoredId } from "./passage.js";
import { RecallError } from "./recall-error.js";
import { LibsqlStore } from "./stores/libsql/libsql-store.js";
import type { PassageStore } from "./stores/passage-store.js";
import { PostgresStore } from "./stores/postgres/postgres-store.js";
import { openPostgres } from "./stores/postgres/tables.js";
import { EmbeddingLane } from "./vectors/embedding-lane.js";
import type { VectorLane } from "./vectors/embedding-lane.js";
import { VectorStoreLane } from "./vectors/vector-store-lane.js";
import { fuse, smooth, withNeighbours } from "./words/ranking.js";

/** Makes a store, which tells when it had to be made anew. */
type OpenStore = (onRebuilt: (error: unknown) => void) => PassageStore;

/** Finds again what was folded away. It only repeats what the archive keeps: lost or broken, it is fed anew. */
export class RecallIndex {
  readonly #path: string | undefined;
  readonly #options: RecallOptions;
  readonly #store: PassageStore;
  #lane: VectorLane | undefined;

  private constructor(open: OpenStore, options: RecallOptions, path?: string) {
    requireOne(options);
    this.#path = path;
    this.#options = options;
    this.#store = open((error) => {
      this.#lane = this.#openLane();
      options.onEvent?.({ type: "index_rebuilt", error });
    });
    this.#lane = this.#openLane();
  }

  /** Returns an index that ends with this process. */
  static inMemory(options: RecallOptions = {}): RecallIndex {
    return new RecallIndex((onRebuilt) => new LibsqlStore(":memory:", onRebuilt), options);
  }

  /** Returns the index in an SQLite file, which several processes may use. A broken file is made anew. */
  static fromPath(path: string, options: RecallOptions = {}): RecallIndex {
    if (path !== "") return new RecallIndex((onRebuilt) => new LibsqlStore(path, onRebuilt), options, path);
    throw new RecallError("bad-option", "The path of the index is empty: give a file name.");
  }

  /**
   * Returns the index in a Postgres database, which processes on any number of machines may use. Needs the package `pg`.
   * Throws a RecallError "missing-package", "newer-version", or "busy" where the database does not answer.
   */
  static async fromPostgres(url: string, options: RecallPostgresOptions = {}): Promise<RecallIndex> {
    if (url === "") throw new RecallError("bad-option", "The url of the database is empty: give a url.");
    requireOne(options);
    const opened = await openPostgres(url, options);
    return new RecallIndex((onRebuilt) => new PostgresStore(opened, onRebuilt), options);
  }

  /** Returns those of the files that `addFile` has not taken in yet. */
  async missing(thread: string, paths: readonly string[]): Promise<string[]> {
    return this.#store.missing(thread, paths);
  }

  /** Takes in a text in passages of some lines. A file that is there already costs nothing. */
  async addFile(file: IndexedFile): Promise<void> {
    if ((await this.missing(file.thread, [file.path])).length > 0) await this.addFiles([file]);
  }

  /** Takes in files as `addFile` does, in one transaction: many at once cost less each. */
  async addFiles(files: readonly IndexedFile[]): Promise<void> {
    await this.#store.addFiles(
      files.map(({ text, ...rest }) => ({
        ...rest,
        passages: splitPassages(text).map((passage) => ({ ...rest, ...passage })),
      })),
    );
  }

  /** Takes in passages, in one transaction. Neighbours in a file should come one after the other. */
  async add(passages: readonly Passage[]): Promise<void> {
    await this.#store.add(passages);
  }

  /**
   * Returns what fits a question best, best first. Never throws because of embeddings: without them it searches by
   * words alone and tells `onEvent`.
   */
  async search(query: string, { limit = 5, ...filter }: SearchOptions): Promise<Hit[]> {
    const wide = Math.max(50, limit * 5);
    const words = await this.#byWords(query, filter, wide);
    const meaning = await this.#nearest(query, filter, wide);
    const ranked = meaning.length === 0 ? words : fuse([words, meaning]);
    const hits: Hit[] = [];
    // Most that are ranked pass the filter: what is behind the first is seldom read.
    for (let from = 0; hits.length < limit && from < Math.min(ranked.length, wide * 2); from += limit)
      hits.push(...(await this.#read(ranked.slice(from, from + limit), filter)));
    return hits.slice(0, limit);
  }

  /** Forgets a thread. */
  async removeThread(thread: string): Promise<void> {
    const ids = await this.#store.removeThread(thread);
    await this.#lane?.removeThread(thread, ids);
  }

  async close(): Promise<void> {
    await this.#lane?.close();
    await this.#store.close();
  }

  async #byWords(query: string, filter: PassageFilter, wide: number): Promise<ScoredId[]> {
    const found = await this.#store.rank(query, filter, wide);
    return smooth(found, await this.#store.paths(withNeighbours(found)), this.#options.neighbourShare);
  }

  /** Returns what passes the filter, in the same order. */
  async #read(ranked: readonly ScoredId[], filter: PassageFilter): Promise<Hit[]> {
    const ids = ranked.map(({ id }) => id);
    const stored = new Map((await this.#store.read(ids, filter)).map(({ id, ...passage }) => [id, passage]));
    return ranked.flatMap(({ id, score }) => {
      const passage = stored.get(id);
      return passage === undefined ? [] : [{ ...passage, score }];
    });
  }

  async #nearest(query: string, filter: PassageFilter, limit: number): Promise<readonly ScoredId[]> {
    const lane = this.#lane;
    if (lane === undefined) return [];
    const search = async (): Promise<readonly ScoredId[]> => {
      await lane.update(filter.thread);
      return lane.nearest(query, filter, limit);
    };
    try {
      return await within(this.#options.embeddingTimeout ?? 2_000, search);
    } catch (error) {
      this.#options.onEvent?.({ type: "embeddings_failed", error });
      return [];
    }
  }

  #openLane(): VectorLane | undefined {
    const { embeddings, vectorStore, embeddingModel, graphFrom, onEvent } = this.#options;
    const table = this.#store;
    if (vectorStore !== undefined) return new VectorStoreLane(vectorStore, table);
    if (embeddings === undefined) return undefined;
    return new EmbeddingLane({
      embeddings,
      model: embeddingModel ?? "embeddings",
      table,
      ...(this.#path === undefined ? {} : { path: this.#path }),
      ...(graphFrom === undefined ? {} : { graphFrom }),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
  }
}

function requireOne({ embeddings, vectorStore }: RecallOptions): void {
  if (embeddings === undefined || vectorStore === undefined) return;
  throw new RecallError("bad-option", "embeddings and vectorStore are both given: give one of them.");
}

/** Returns what `work` returns. Throws when it takes longer, in milliseconds; what comes later is dropped. */
export async function within<T>(most: number, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${most} ms`)), most);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
