/** A span whose summary is being written ahead, or is in the archive. */
export interface PreparedSpan {
  /** Id of the newest message of the span. */
  readonly upTo: string;
  /** Digest of all its messages: what is prepared for others is of no use. */
  readonly digest: string;
}
