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

/** Returns the words of an identifier or a text in lower case, of 4 or more letters, each once: camelCase is taken apart. */
export function atomWords(text: string): readonly string[] {
  const parts = text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[a-z]{4,}/g);
  return parts === null ? none : [...new Set(parts)];
}

const none: readonly string[] = [];

/**
 * Returns the same text in memory of its own.
 *
 * A slice of a long string keeps all of it alive: a thousand identifiers would hold on to every message they came from.
 */
export function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text, "utf16le").toString("utf16le");
}
