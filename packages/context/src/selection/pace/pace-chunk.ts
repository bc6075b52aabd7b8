/** How much of a past step is sent. */
export type PaceLevel = "full" | "detailed" | "brief" | "placeholder";

/** A past step with its representations (PACE, 3.1): `detailed` and `brief` are there once they have been written. */
export interface PaceChunk {
  readonly id: string;
  /** Type of its first message. */
  readonly type: string;
  /** Step, from 1. */
  readonly t: number;
  /** R_full: the whole content. */
  readonly full: string;
  /** R_detailed: a comprehensive summary. */
  readonly detailed?: string;
  /** R_brief: one or two sentences. */
  readonly brief?: string;
  /** R_ph: says that there was a step. */
  readonly placeholder: string;
  /** k: the embedding of the whole content, made once. */
  readonly key: readonly number[];
}
