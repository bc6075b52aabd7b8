/** A few lines of something that was folded away: what a search finds. */
export interface Passage {
  /** The thread that it belongs to; no search of another thread finds it. */
  readonly thread: string;
  /** Where the text can be read on, such as an archive path. */
  readonly path: string;
  /** Number of its first line in the file at `path`, from 1. */
  readonly line: number;
  readonly text: string;
  /** What kind of thing it is from, such as `results` or `history`. @default "" */
  readonly kind?: string;
  /** The step of the agent that it is from. @default none: no search by steps finds it */
  readonly step?: number;
}

/** Which passages a search looks at. */
export interface PassageFilter {
  readonly thread: string;
  readonly kind?: string;
  /** How the path begins. */
  readonly path?: string;
  /** First and last step, both included. */
  readonly steps?: readonly [from: number, to: number];
}

/** A passage in a ranking. */
export interface ScoredId {
  readonly id: number;
  readonly score: number;
}

export interface StoredPassage extends Passage {
  readonly id: number;
}
