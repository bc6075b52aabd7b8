import type { AtomTable } from "./atom-table.js";
import type { ExcerptCosts, FileState, IndexedChunk } from "./indexed-chunk.js";
import type { WordTable } from "./word-table.js";

/** Weights of the logistic model that predicts whether the next call uses an atom; natural logarithms. */
export interface ReuseWeights {
  readonly bias: number;
  /** A whole line and not an identifier. */
  readonly line: number;
  /** ln chunks since it was last seen. */
  readonly age: number;
  /** ln chunks that hold it. */
  readonly count: number;
  /** ln(1 + chunks whose calls used it). */
  readonly uses: number;
  /** A call has used it. */
  readonly used: number;
  /** A call has used it, for lines. */
  readonly usedLine: number;
  /** An edit has replaced it. */
  readonly dead: number;
  /** ln chunks since a call named its file, for lines. */
  readonly fileAge: number;
  /** The same for identifiers, paths and numbers. */
  readonly fileAgeName: number;
  /** ln(1 + what the last calls named around it). */
  readonly nearCalls: number;
  readonly nearCallsLine: number;
  /** ln(1 + what the agent and the user said around it). */
  readonly nearIntent: number;
  /** ln(1 + its words among those that the agent and the user just said), for identifiers. */
  readonly words: number;
}

/** Fitted on recorded coding runs with `npm run eval -- fit`; see docs/predictive-context.md. */
export const reuseWeights: ReuseWeights = {
  bias: -7.02,
  line: 0.96,
  age: -0.63,
  count: 0.05,
  uses: 0.57,
  used: 2.2,
  usedLine: -2.5,
  dead: -0.97,
  fileAge: -0.61,
  fileAgeName: 0.01,
  nearCalls: -0.08,
  nearCallsLine: 0.53,
  nearIntent: 0.09,
  words: 1.18,
};

/** What a `ReuseIndex` holds, for the functions that score it and make it smaller. */
export interface ReuseMemory {
  readonly atoms: AtomTable;
  readonly files: Map<string, FileState>;
  readonly chunks: readonly IndexedChunk[];
  readonly words: WordTable;
  readonly candidateTokens: number;
  readonly costs: ExcerptCosts;
  /** The newest message of the user. */
  readonly newestUser: IndexedChunk | undefined;
  /** Those of the chunks that have blocks to choose from, in order. */
  live: IndexedChunk[];
  /** Tokens of the lines that may be chosen now. */
  liveTokens: number;
}
