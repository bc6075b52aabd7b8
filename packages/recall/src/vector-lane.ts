import type { IdRange } from "./id-range.js";
import type { PassageFilter, ScoredId } from "./passage.js";

/** The search by meaning beside the search by words. */
export interface VectorLane {
  /** Takes in what is new of a thread. */
  update(thread: string): Promise<void>;
  /** Returns the nearest passages of a thread, nearest first. */
  nearest(query: string, filter: PassageFilter, limit: number): Promise<readonly ScoredId[]>;
  /** `ids` are those that its passages had. */
  removeThread(thread: string, ids: IdRange | undefined): Promise<void>;
  /** Keeps what is worth keeping for the next start. */
  close(): Promise<void>;
}
