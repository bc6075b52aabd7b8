import type { Atom, FileState, IndexedChunk, WordState } from "./indexed-chunk.js";

/** What a `ReuseIndex` holds, for the functions that score it and make it smaller. */
export interface ReuseMemory {
  readonly atoms: Map<string, Atom>;
  readonly files: Map<string, FileState>;
  readonly chunks: readonly IndexedChunk[];
  /** Words of identifiers and of what is said. */
  readonly words: Map<string, WordState>;
  readonly candidateTokens: number;
  /** The newest message of the user. */
  readonly newestUser: IndexedChunk | undefined;
  /** Those of the chunks that have blocks to choose from, in order. */
  live: IndexedChunk[];
  /** Tokens of the lines that may be chosen now. */
  liveTokens: number;
}
