export { HashedEmbeddings, type HashedEmbeddingsOptions } from "./hashed-embeddings.js";
export type { Passage, PassageFilter } from "./passage.js";
export { RecallError, type RecallErrorCode } from "./recall-error.js";
export type { PostgresOptions } from "./postgres/open-postgres.js";
export type { RecallEvent } from "./recall-event.js";
export {
  RecallIndex,
  type Hit,
  type IndexedFile,
  type RecallOptions,
  type SearchOptions,
} from "./recall-index.js";
export { splitPassages, type SplitOptions } from "./split-passages.js";
