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
  /** Identifiers that are made of it. */
  holders: number;
}

/** A line that holds an atom. */
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
  /** Numbers of the strings in it. Empty once it may not be chosen any more. */
  readonly atoms: readonly number[];
}

/** Consecutive lines of one message: chosen or left out as one. */
export interface Block {
  readonly chunk: IndexedChunk;
  readonly start: number;
  /** Behind the last line. */
  readonly end: number;
  /** Of its lines, four characters each. */
  readonly tokens: number;
  /** Numbers of the strings in it, each once. */
  readonly atoms: readonly number[];
}

/** A message of the model with its results, or one other message. */
export interface IndexedChunk {
  readonly index: number;
  /** Empty once none of them may be chosen any more. */
  lines: IndexedLine[];
  /** Those that may be chosen, in order. */
  blocks: Block[];
  readonly tokens: number;
  /** Tokens of all chunks before it. */
  readonly before: number;
  /** Type of its first message. */
  readonly type: string;
  readonly calls: boolean;
  /** A provider refuses a cut before it. */
  joined: boolean;
  readonly pinned: boolean;
  /** How it begins, for a list of contents. */
  readonly title: string;
}
