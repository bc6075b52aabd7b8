/** A text that a search returned, and the number of its chunk. */
export interface Found {
  readonly from: number;
  readonly text: string;
}

/** A search over texts that come one after the other. */
export interface Searching {
  add(text: string, from: number): void | Promise<void>;
  /** Returns the best texts, best first, at most `most`. */
  find(query: string, most: number): Promise<readonly Found[]>;
  /** Returns what its tools answer, word for word. @default the texts that it finds, a blank line between them */
  answer?(query: string): Promise<string>;
  close?(): void;
}

/** A way to search. */
export interface Lane {
  readonly name: string;
  readonly start: (seed: number) => Searching;
  /** Random; measured over several seeds. @default false */
  readonly isRandom?: boolean;
  /** Its whole answer counts as shown, however long it is. @default false: as many tokens as `search_history` answers */
  readonly isWhole?: boolean;
}
