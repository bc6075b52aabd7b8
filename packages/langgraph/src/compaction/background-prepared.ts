import type { WrittenSummary } from "./write-summary.js";

/** A summary that was written ahead, and the index of the first message that it leaves alone. */
export interface PreparedSummary {
  readonly cut: number;
  readonly written: WrittenSummary;
}
