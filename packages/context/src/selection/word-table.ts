import type { WordState } from "./indexed-chunk.js";

/** Words of identifiers and of message text, with the number of chunks that contain them. */
export class WordTable {
  readonly #words = new Map<string, WordState>();

  get(word: string): WordState | undefined {
    return this.#words.get(word);
  }

  /** Counts a chunk that contains the words. */
  count(words: Iterable<string>): void {
    for (const word of words) this.#state(word).chunks++;
  }

  /** Returns the states of an identifier's words and retains them until `release`. */
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

  /** Removes the words that no identifier contains, because they match nothing. */
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

/** A word of camelCase ends where a capital follows a small letter. */
const caseRun = /[A-Z]*[a-z]+|[A-Z]{4,}/g;
const minLetters = 4;

/** Returns the distinct lower-case words of 4 or more letters in an identifier or a text; splits camelCase. Pure. */
export function atomWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const word of text.match(caseRun) ?? none)
    if (word.length >= minLetters) words.add(word.toLowerCase());
  return [...words];
}

const none: readonly string[] = [];

/**
 * Returns a copy of a text in its own memory.
 *
 * A slice of a long string keeps the whole string alive, so indexed identifiers would retain every source message.
 */
export function detached(text: string): string {
  // A slice of the joined text refers to that copy. Several times faster than through a buffer.
  return text.length < 13 ? text : ` ${text}`.slice(1);
}
