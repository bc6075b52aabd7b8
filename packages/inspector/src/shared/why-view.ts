/** Calls, counted from 1, both inclusive. */
export type CallSpan = readonly [from: number, to: number];

/** A fold that took a message out of sight. */
export interface ForgottenBy {
  readonly fold: string;
  readonly kind: string;
  /** Why it was made, such as `trigger`; empty when it was not recorded. */
  readonly reason: string;
  /** What the agent said when it asked for the fold; empty if it did not ask. */
  readonly asked: string;
  /** The first call that was sent the stand-in, counted from 1; null if none was yet. */
  readonly call: number | null;
  /** Id of the checkpoint that made it. */
  readonly checkpoint: string;
  /** Archive path of the originals. */
  readonly path: string;
  readonly certificate: CertificateView | null;
}

/** What became of the strings that must not be lost. */
export interface CertificateView {
  readonly path: string;
  readonly facts: number;
  /** Those that the model still sees. */
  readonly kept: number;
}

/** A tool call that asked for a message again after it was out of sight. */
export interface AskedAgain {
  /** Counted from 1. */
  readonly call: number;
  readonly tool: string;
  /** How: the file of the originals was read, the same call was made again, or the thread was searched and named it. */
  readonly how: "originals" | "same call";
  /** Place of the reply that asked. */
  readonly place: number;
}

/** What became of one message. */
export interface WhyView {
  /** Position in the whole thread, counted from 0. */
  readonly place: number;
  readonly type: string;
  /** The calls that were sent it word for word. */
  readonly seen: readonly CallSpan[];
  /** Whether the newest call was sent it. */
  readonly isSeen: boolean;
  readonly folds: readonly ForgottenBy[];
  readonly again: readonly AskedAgain[];
}
