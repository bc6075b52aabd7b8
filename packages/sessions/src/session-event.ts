import type { BaseMessage } from "@langchain/core/messages";

/** Where a record stands in its file. */
export interface Place {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  /** Bytes before it. */
  readonly offset: number;
  /** Its bytes, with the line break after it. */
  readonly bytes: number;
}

/** What a session says about itself. Later facts replace earlier ones. */
export interface SessionFacts {
  readonly id?: string;
  readonly title?: string;
  /** The directory in which the agent worked. */
  readonly directory?: string;
  /** The version of the agent that wrote the record. */
  readonly version?: string;
  readonly model?: string;
  /** Tokens of the model's context window. */
  readonly window?: number;
}

/** A compaction that the agent has made. */
export interface RecordedCompaction {
  readonly id: string;
  /** The text that the model was sent in place of the messages. */
  readonly summary: string;
  /** Ids of messages of the context that stayed word for word. Whatever else was there was replaced. */
  readonly keeps: readonly string[];
  /** What started it, in the words of the agent: `auto`, `manual`. */
  readonly trigger?: string;
  /** Tokens of the prompt before and after it, as the agent reported them. */
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** Results that the agent has cleared from its context without a summary. */
export interface RecordedClearing {
  readonly id: string;
  /** The `tool_call_id` of each result. */
  readonly calls: readonly string[];
  /** The text that the model was sent in their place. */
  readonly placeholder: string;
  readonly trigger?: string;
  readonly tokensBefore?: number;
  readonly tokensSaved?: number;
}

/** What a record says. */
export type SessionEvent =
  | { readonly kind: "facts"; readonly facts: SessionFacts }
  /** A message of the context. One with the id of an earlier message replaces it. */
  | { readonly kind: "message"; readonly message: BaseMessage; readonly lane?: string }
  /** The user went back to a message: what came after it is on an abandoned branch. Undefined is the beginning. */
  | { readonly kind: "rewind"; readonly to: string | undefined; readonly lane?: string }
  | { readonly kind: "compaction"; readonly compaction: RecordedCompaction; readonly lane?: string }
  | { readonly kind: "clearing"; readonly clearing: RecordedClearing; readonly lane?: string }
  /** A known record that the model is not sent, such as a snapshot of files. */
  | { readonly kind: "note"; readonly what: string }
  /** A record that no reader knows, as one of a later version. */
  | { readonly kind: "unknown"; readonly what: string }
  /** A record that cannot be read. */
  | { readonly kind: "broken"; readonly why: string };

/** A record of a session file with its bytes, and what it says: at least one event. */
export interface SessionRecord {
  readonly place: Place;
  readonly bytes: Uint8Array;
  readonly events: readonly SessionEvent[];
  /** The last bytes of a file that does not end in a line break, and that are no whole record: it may still be written. */
  readonly isUnfinished?: boolean;
}

/** Returns the events of the next record. It may remember what earlier records said. */
export type ReadValue = (value: unknown, place: Place) => readonly SessionEvent[];

/** One format of session files: a table of what its records are called, and a function for each. */
export interface SessionFormat {
  readonly name: string;
  /** The agent that writes it. */
  readonly agent: string;
  /** The versions with which the reader was written, and where their format is documented. */
  readonly versions: string;
  readonly sources: readonly string[];
  /** The agent writes the file anew, so that its first bytes may change as well. @default false */
  readonly isRewritten?: boolean;
  /** True if a record is of this format. */
  readonly detects: (value: unknown) => boolean;
  /** Returns the reader of one file. */
  readonly open: () => ReadValue;
}
