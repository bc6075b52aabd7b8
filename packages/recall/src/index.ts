export type { Hit, IndexedFile, RecallEvent, RecallOptions, SearchOptions } from "./options.js";
export { splitPassages, type Passage, type PassageFilter, type SplitOptions } from "./passage.js";
export { RecallError, type RecallErrorCode } from "./recall-error.js";
export { RecallIndex } from "./recall-index.js";
export type { PostgresOptions } from "./stores/postgres/tables.js";
export { HashedEmbeddings, type HashedEmbeddingsOptions } from "./vectors/hashed-embeddings.js";
