import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import type { VectorStoreInterface } from "@langchain/core/vectorstores";
import type { Passage, PassageFilter } from "./passage.js";

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

export interface RecallPostgresOptions extends RecallOptions {
  /** The most connections. @default 5 */
  readonly connections?: number;
}

export interface SearchOptions extends PassageFilter {
  /** Hits. @default 5 */
  readonly limit?: number;
}

export interface Hit extends Passage {
  readonly score: number;
}

/** A file of the archive. */
export type IndexedFile = Omit<Passage, "line">;

/** What happened that a person who operates the index wants to know. */
export type RecallEvent =
  /** The embeddings failed or were too slow: this search went by words alone. */
  | { readonly type: "embeddings_failed"; readonly error: unknown }
  /** `hnswlib-node` is not there: every vector is compared, which is slower and exact. Said once. */
  | { readonly type: "graph_missing"; readonly passages: number }
  /** The graph found less than 99 of 100 of the true ten nearest: every vector goes on being compared. */
  | { readonly type: "graph_inexact"; readonly passages: number }
  /** The file was damaged and was made anew, empty: feed it again. `search_history` does so by itself. */
  | { readonly type: "index_rebuilt"; readonly error: unknown };
