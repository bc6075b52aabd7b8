import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import { EmbeddingLane } from "./embedding-lane.js";
import { fuse } from "./fuse.js";
import { isBroken, openTables, reopenTables } from "./open-tables.js";
import { PassageTable } from "./passage-table.js";
import type { Passage, PassageFilter, ScoredId } from "./passage.js";
import { RecallError } from "./recall-error.js";
import type { RecallEvent } from "./recall-event.js";
import { smooth, withNeighbours } from "./smooth.js";
import { splitPassages } from "./split-passages.js";
import type { VectorLane } from "./vector-lane.js";
import { VectorStoreLane } from "./vector-store-lane.js";
import { within } from "./within.js";

export interface RecallOptions {
  /** Searches by meaning too, through any LangChain embeddings. @default by words alone */
  readonly embeddings?: EmbeddingsInterface;
  /** Names the model of the embeddings; under another name the vectors are made anew. @default "embeddings" */
  readonly embeddingModel?: string;
  /** Searches by meaning through a vector store instead, which embeds and keeps the texts itself. */
  readonly vectorStore?: VectorStoreInterface;
  /** Part of a passage's score by words that the passages right before and after it get too. @default 0.25 */
  readonly neighbourShare?: number;
  /** Passages of a thread from which the graph of `hnswlib-node` is used, where installed. @default 4,000,000 / numbers of a vector */
  readonly graphFrom?: number;
  /** Milliseconds that a search waits for the embeddings. @default 2,000 */
  readonly embeddingTimeout?: number;
  readonly onEvent?: (event: RecallEvent) => void;
}

export interface SearchOptions extends PassageFilter {
  /** Hits. @default 5 */
  readonly limit?: number;
}

export interface Hit extends Passage {
  readonly score: number;
}

/** Finds again what was folded away. It only repeats what the archive keeps: lost or broken, it is fed anew. */
export class RecallIndex {
  readonly #path: string;
  readonly #options: RecallOptions;
  #table: PassageTable;
  #lane: VectorLane | undefined;

  private constructor(path: string, options: RecallOptions) {
    const { embeddings, vectorStore } = options;
    if (embeddings !== undefined && vectorStore !== undefined) {
      throw new RecallError("bad-option", "embeddings and vectorStore are both given: give one of them.");
    }
    this.#path = path;
    this.#options = options;
    const onBroken = (error: unknown): void => options.onEvent?.({ type: "index_rebuilt", error });
    this.#table = new PassageTable(openTables(path, onBroken));
    this.#lane = this.#openLane();
  }

  /** Returns an index that ends with this process. */
  static inMemory(options: RecallOptions = {}): RecallIndex {
    return new RecallIndex(":memory:", options);
  }

  /** Returns the index in an SQLite file, which several processes may use. A broken file is made anew. */
  static fromPath(path: string, options: RecallOptions = {}): RecallIndex {
    if (path !== "") return new RecallIndex(path, options);
    throw new RecallError("bad-option", "The path of the index is empty: give a file name.");
  }

  /** Returns those of the files that `addFile` has not taken in yet. */
  missing(thread: string, paths: readonly string[]): string[] {
    return this.#withTable((table) => table.missing(thread, paths));
  }

  /** Takes in a text in passages of some lines. A file that is there already costs nothing. */
  addFile(file: Omit<Passage, "line">): void {
    const { thread, path, text, ...rest } = file;
    if (this.missing(thread, [path]).length === 0) return;
    const passages = splitPassages(text).map((passage) => ({ thread, path, ...rest, ...passage }));
    this.#withTable((table) => table.addFile(thread, path, passages));
  }

  /** Takes in passages, in one transaction. Neighbours in a file should come one after the other. */
  add(passages: readonly Passage[]): void {
    this.#withTable((table) => table.add(passages));
  }

  /**
   * Returns what fits a question best, best first. Never throws because of embeddings: without them it searches by
   * words alone and tells `onEvent`.
   */
  async search(query: string, { limit = 5, ...filter }: SearchOptions): Promise<Hit[]> {
    const wide = Math.max(50, limit * 5);
    const words = this.#withTable((table) => this.#byWords(table, query, { filter, wide }));
    const meaning = await this.#nearest(query, filter, wide);
    const ranked = meaning.length === 0 ? words : fuse([words, meaning]);
    const scores = new Map(ranked.slice(0, wide * 2).map(({ id, score }) => [id, score]));
    return this.#withTable((table) => table.read([...scores.keys()], filter))
      .map((stored) => ({ stored, score: scores.get(stored.id) ?? 0 }))
      .toSorted((one, other) => other.score - one.score || one.stored.id - other.stored.id)
      .slice(0, limit)
      .map(({ stored: { id: _id, ...passage }, score }) => ({ ...passage, score }));
  }

  /** Forgets a thread. */
  removeThread(thread: string): void {
    const ids = this.#withTable((table) => table.idsOf(thread));
    this.#withTable((table) => table.removeThread(thread));
    this.#lane?.removeThread(thread, ids);
  }

  close(): void {
    this.#lane?.close();
    this.#table.close();
  }

  #byWords(table: PassageTable, query: string, { filter, wide }: Wide): ScoredId[] {
    const found = table.rank(query, filter, wide);
    return smooth(found, table.paths(withNeighbours(found)), this.#options.neighbourShare);
  }

  /** What a damaged file held is in the archive as well, so it is made anew and the work begun again. */
  #withTable<Result>(work: (table: PassageTable) => Result): Result {
    try {
      return work(this.#table);
    } catch (error) {
      if (this.#path === ":memory:" || !isBroken(error)) throw error;
      this.#table.close();
      this.#table = new PassageTable(reopenTables(this.#path));
      this.#lane = this.#openLane();
      this.#options.onEvent?.({ type: "index_rebuilt", error });
      return work(this.#table);
    }
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
    const table = this.#table;
    if (vectorStore !== undefined) return new VectorStoreLane(vectorStore, table);
    if (embeddings === undefined) return undefined;
    return new EmbeddingLane({
      embeddings,
      model: embeddingModel ?? "embeddings",
      table,
      ...(this.#path === ":memory:" ? {} : { path: this.#path }),
      ...(graphFrom === undefined ? {} : { graphFrom }),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
  }
}

interface Wide {
  readonly filter: PassageFilter;
  /** Passages of a ranking before they become hits. */
  readonly wide: number;
}
