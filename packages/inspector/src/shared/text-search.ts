/** A text that contains all words. */
export interface FoundText {
  /** Position of the text, counted from 0. */
  readonly place: number;
  /** Text around the first word. */
  readonly excerpt: string;
}

/** Maximum hits that a search of the page shows. */
export const maxHits = 200;

/** Characters before and after the first word. */
const around = 60;

/** Returns the words of a query in lower case. Pure. */
export function wordsOf(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
}

/** Finds the texts that contain all words, whatever the case. */
export class TextSearch {
  readonly #length: number;
  readonly #textAt: (place: number) => string;
  #lower: readonly string[] | undefined;

  constructor(length: number, textAt: (place: number) => string) {
    this.#length = length;
    this.#textAt = textAt;
  }

  /** `words` are in lower case. Last first; the first call reads every text. */
  find(words: readonly string[], limit: number): readonly FoundText[] {
    this.#lower ??= Array.from({ length: this.#length }, (_, place) => this.#textAt(place).toLowerCase());
    const found: FoundText[] = [];
    for (let place = this.#length - 1; place >= 0 && found.length < limit; place--) {
      const lower = this.#lower[place] ?? "";
      if (!words.every((word) => lower.includes(word))) continue;
      const at = lower.indexOf(words[0] ?? "");
      found.push({ place, excerpt: this.#textAt(place).slice(Math.max(0, at - around), at + around) });
    }
    return found;
  }
}
