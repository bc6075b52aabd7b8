import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { Passage, PassageFilter } from "./passage.js";

export interface RecallOptions {
  /** Adds a search by meaning, through any LangChain embeddings. @default none: search by words only */
  readonly embeddings?: EmbeddingsInterface;
  /** Name of the embedding model. A new name computes all vectors again. @default "embeddings" */
  readonly embeddingModel?: string;
  /** Adds a search by meaning through a vector store, which embeds and stores the texts itself. Excludes `embeddings`. */
  readonly vectorStore?: VectorStoreInterface;
  /** Share of a passage's word score that the passages directly before and after it get as well. @default 0.1 */
  readonly neighbourShare?: number;
  /**
   * Passages of a thread from which a search uses an HNSW graph, when `hnswlib-node` is installed.
   * @default 4,000,000 / dimensions of a vector
   */
  readonly graphFrom?: number;
  /** Milliseconds that a search waits for the embeddings before it goes on by words only. @default 2,000 */
  readonly embeddingTimeout?: number;
  readonly onEvent?: (event: RecallEvent) => void;
}

export interface RecallPostgresOptions extends RecallOptions {
  /** The most connections of the pool that the index opens. @default 5 */
  readonly connections?: number;
  /** The schema of the index's tables, created when it is missing. @default `?schema=` of the url, or the first of the search path */
  readonly schema?: string;
}

export interface SearchOptions extends PassageFilter {
  /** The most hits. @default 5 */
  readonly limit?: number;
  /**
   * Returns a factor of the word score for each of the best passages, which are ten for each hit and at least 50: what they are
   * worth besides their words. @default 1 for all
   */
  readonly weigh?: (passages: readonly Passage[]) => readonly number[];
  /** Returns the share of a passage's word score that its neighbours get, for the same passages. @default that of the index */
  readonly neighbourShare?: (passages: readonly Passage[]) => number;
  /**
   * Share by which the word score of the last added of the best passages grows; of the others, by when they were added. Of passages
   * that match equally, the newest one then comes first, with the value that holds. @default 0
   */
  readonly recency?: number;
}

export interface Hit extends Passage {
  readonly score: number;
}

/** A file of the archive. */
export interface IndexedFile extends Omit<Passage, "line"> {
  /**
   * Returns true for the first line of a message. A message begins a passage, except where the messages before it in the passage
   * are whole, have less than 400 characters together, and the message ends in the passage too. A message of up to 1,600
   * characters is one passage, whatever its lines. @default no line does
   */
  readonly starts?: (line: string) => boolean;
}

/** An event for the operator of the index. */
export type RecallEvent =
  /** The embeddings failed or were too slow: this search used words only. */
  | { readonly type: "embeddings_failed"; readonly error: unknown }
  /** `hnswlib-node` is not installed: the search compares every vector, which is exact and slower. Sent once. */
  | { readonly type: "graph_missing"; readonly passages: number }
  /** The graph found less than 99 % of the true ten nearest vectors: the search still compares every vector. */
  | { readonly type: "graph_inexact"; readonly passages: number }
  /** The index was damaged or lost and is empty now: add the files again. `search_history` does so by itself. */
  | { readonly type: "index_rebuilt"; readonly error: unknown };
