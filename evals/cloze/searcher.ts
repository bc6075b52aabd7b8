/** A piece of the archive that a search returned, as the agent reads it. */
export interface Found {
  readonly path: string;
  readonly text: string;
}

/** Searches the past of a thread, as an agent can. */
export interface Searcher {
  readonly name: string;
  /** Returns the best windows for words, best first, at most `most`. */
  find(words: readonly string[], most: number): Promise<readonly Found[]>;
  /** Tokens, of four characters, that the answers of its tools took so far. */
  readonly tokens: () => number;
}
