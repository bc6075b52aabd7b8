import { detached } from "./detached.js";
import type { WordState } from "./indexed-chunk.js";

/** Words of identifiers and of what is said, with the chunks that hold them. */
export class WordTable {
  readonly #words = new Map<string, WordState>();

  get(word: string): WordState | undefined {
    return this.#words.get(word);
  }

  /** Counts a chunk that holds the words. */
  count(words: Iterable<string>): void {
    for (const word of words) this.#state(word).chunks++;
  }

  /** Returns the states of words that an identifier is made of, which are then kept until they are released. */
  hold(words: readonly string[]): readonly WordState[] {
    return words.map((word) => {
      const state = this.#state(word);
      state.holders++;
      return state;
    });
  }

  release(states: readonly WordState[]): void {
    for (const state of states) state.holders--;
  }

  /** Forgets the words of no identifier: what is said finds nothing by them. */
  sweep(): void {
    for (const [word, { holders }] of this.#words) if (holders === 0) this.#words.delete(word);
  }

  #state(word: string): WordState {
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const state: WordState = { chunks: 0, said: 0, holders: 0 };
    this.#words.set(detached(word), state);
    return state;
  }
}
