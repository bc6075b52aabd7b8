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
