// What the README documents. What only this repository's evals need is in internal.ts.
export type {
  Hit,
  IndexedFile,
  RecallEvent,
  RecallOptions,
  RecallPostgresOptions,
  SearchOptions,
} from "./options.js";
export type { Passage, PassageFilter } from "./passage.js";
export { RecallError, type RecallErrorCode } from "./recall-error.js";
export { RecallIndex } from "./recall-index.js";
