/** What happened that a person who operates the index wants to know. */
export type RecallEvent =
  /** The embeddings failed or were too slow: this search went by words alone. */
  | { readonly type: "embeddings_failed"; readonly error: unknown }
  /** `hnswlib-node` is not there: every vector is compared, which is slower and exact. Said once. */
  | { readonly type: "graph_missing"; readonly passages: number };
