import type { LineRole } from "./message-lines.js";

/** A file that calls have named. */
export interface FileState {
  /** Chunk of the last call that named it. */
  touched: number;
}

/** A word of identifiers and of what is said. */
export interface WordState {
  /** Chunks that hold it. */
  chunks: number;
  /** What it weighs where it was just said, else 0. Set while a selection is made. */
  said: number;
}

/** A string that a later call may use, and what is known of it. */
export interface Atom {
  readonly text: string;
  /** It is a whole line and not an identifier, a path or a number. */
  readonly isLine: boolean;
  readonly words: readonly WordState[];
  /** Newest chunk that holds it. */
  last: number;
  /** Chunks that hold it. */
  count: number;
  /** Chunks whose calls used it. */
  uses: number;
  /** An edit has replaced it, and it has not been seen since. */
  dead: boolean;
  /** File of the call or result where it was last seen. */
  file: FileState | undefined;
  /** Where it stands; kept for identifiers only. */
  places: Place[];
  /** How much of what the last calls named stands around it, at its best place. */
  nearCalls: number;
  /** The same for what the agent and the user said. */
  nearIntent: number;
  weight: number;
  /** That the next call uses it. */
  probability: number;
  /** The selection in which it was last covered. */
  covered: number;
}

export interface Place {
  readonly chunk: IndexedChunk;
  readonly line: number;
}

export interface IndexedLine {
  readonly text: string;
  readonly role: LineRole;
  /** It goes on where the line before was cut. */
  readonly continues: boolean;
  /** It is the first of its message. */
  readonly starts: boolean;
  readonly atoms: readonly Atom[];
}

/** Consecutive lines of one message: chosen or left out as one. */
export interface Block {
  readonly chunk: IndexedChunk;
  readonly start: number;
  /** Behind the last line. */
  readonly end: number;
  /** Of its lines, four characters each. */
  readonly tokens: number;
  readonly atoms: readonly Atom[];
}

/** A message of the model with its results, or one other message. */
export interface IndexedChunk {
  readonly index: number;
  /** Empty once none of them may be chosen any more. */
  lines: IndexedLine[];
  /** Those that may be chosen, in order. */
  blocks: Block[];
  readonly tokens: number;
  /** Type of its first message. */
  readonly type: string;
  readonly calls: boolean;
  /** A provider refuses a cut before it. */
  joined: boolean;
  readonly pinned: boolean;
  /** How it begins, for a list of contents. */
  readonly title: string;
}
