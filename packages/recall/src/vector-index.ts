import type { ScoredId } from "./passage.js";

/** Finds the vectors that are nearest to another. All are of length 1, so nearness is their product. */
export interface VectorIndex {
  readonly dimensions: number;
  readonly size: number;
  /** Highest id that is in it; 0 without any. */
  readonly last: number;
  add(id: number, vector: Float32Array): void;
  nearest(query: Float32Array, limit: number): ScoredId[];
}
