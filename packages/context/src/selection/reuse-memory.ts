import type { AtomTable } from "./atom-table.js";
import type { FileState, IndexedChunk } from "./indexed-chunk.js";
import type { WordTable } from "./word-table.js";

/** What a `ReuseIndex` holds, for the functions that score it and make it smaller. */
export interface ReuseMemory {
  readonly atoms: AtomTable;
  readonly files: Map<string, FileState>;
  readonly chunks: readonly IndexedChunk[];
  readonly words: WordTable;
  readonly candidateTokens: number;
  /** The newest message of the user. */
  readonly newestUser: IndexedChunk | undefined;
  /** Those of the chunks that have blocks to choose from, in order. */
  live: IndexedChunk[];
  /** Tokens of the lines that may be chosen now. */
  liveTokens: number;
}
