/** One turn of a conversation: between two people, or of a user with an assistant. */
export interface Turn {
  readonly id: string;
  readonly speaker: string;
  /** Speaker, words, and what a shared picture shows. */
  readonly text: string;
  /** When it was said, as an ISO date. @default not known */
  readonly time?: string;
  /** The session that it was said in. @default what stands before the colon of its id */
  readonly session?: string;
}

/** A text that a model wrote from turns. */
export interface Note {
  readonly text: string;
  /** Ids of the turns that it was made from. */
  readonly evidence: readonly string[];
}

export interface Question {
  readonly text: string;
  /** Ids of the turns that hold the answer; those that the conversation has. */
  readonly evidence: readonly string[];
  /** What it asks for: "multi-hop", "temporal". */
  readonly category: string;
  /** Turns that say a value, and turns that say the value that took its place. @default the answer did not change */
  readonly updated?: { readonly older: readonly string[]; readonly newer: readonly string[] };
}

/** A very long conversation with questions about it. */
export interface Dialogue {
  readonly id: string;
  /** How long it is, as its source names it: "100K". @default its source has one length */
  readonly length?: string;
  readonly turns: readonly Turn[];
  readonly observations: readonly Note[];
  /** Those with evidence that is in the conversation. */
  readonly questions: readonly Question[];
}
