/** What the stand-in of a `micro` or `macro` fold says of the steps that it replaces. Steps count from 1. */
export interface FoldedBlock {
  /** Unique in the thread, and higher than that of every block inside. */
  readonly id: number;
  readonly startStep: number;
  /** Last step, included. */
  readonly endStep: number;
  /** What the model reads, without the label. One line. */
  readonly text: string;
  /** Digest of the calls of a single step: two steps with the same one did the same. */
  readonly calls?: string;
  /** Digest of the results of a single step. */
  readonly results?: string;
  /** All results of a single step were errors. */
  readonly failed?: boolean;
}
