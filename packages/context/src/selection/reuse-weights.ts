import type { AtomTable } from "./atom-table.js";
import type { PlanList } from "../plans/plan-list.js";
import type { ExcerptCosts, FileState, IndexedChunk } from "./indexed-chunk.js";
import type { WordTable } from "./word-table.js";

/** Weights of the logistic model that predicts whether the next call uses an atom; natural logarithms. */
export interface ReuseWeights {
  readonly bias: number;
  /** 1 for a whole line. */
  readonly line: number;
  /** ln(chunks since the newest chunk that contains it). */
  readonly age: number;
  /** ln(1 + chunks whose calls used it). */
  readonly uses: number;
  /** 1 when a call has used it. */
  readonly used: number;
  /** `used`, for whole lines. */
  readonly usedLine: number;
  /** 1 when an edit has replaced it. */
  readonly dead: number;
  /** ln(chunks since a call on its file), for whole lines. */
  readonly fileAge: number;
  /** ln(1 + weight of names in the last calls around it), for whole lines. */
  readonly nearCalls: number;
  /** ln(1 + weight of names in recent agent and user text around it). */
  readonly nearIntent: number;
  /** ln(1 + weight of its words in recent agent and user text), for identifiers. */
  readonly words: number;
}

/** Fitted on recorded coding runs with `npm run eval -- fit`; see docs/predictive-context.md. */
export const reuseWeights: ReuseWeights = {
  bias: -7.04,
  line: 0.97,
  age: -0.62,
  uses: 0.62,
  used: 2.18,
  usedLine: -2.48,
  dead: -0.95,
  fileAge: -0.61,
  nearCalls: 0.46,
  nearIntent: 0.05,
  words: 1.17,
};

/** The data of a `ReuseIndex`, for scoring and pruning. */
export interface ReuseMemory {
  readonly atoms: AtomTable;
  readonly files: Map<string, FileState>;
  readonly chunks: readonly IndexedChunk[];
  readonly words: WordTable;
  readonly candidateTokens: number;
  readonly costs: ExcerptCosts;
  /** The newest check-list of the agent or the user. */
  readonly plan: PlanList;
  /** The newest user message. */
  readonly newestUser: IndexedChunk | undefined;
  /** Chunks with candidate blocks, in order. */
  live: IndexedChunk[];
  /** Tokens of the candidate blocks. */
  liveTokens: number;
}
