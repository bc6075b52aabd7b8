/** Characters from which a text is recognized. No text to erase is shorter. */
const length = 4;
const size = 2 ** 16;

/** Tells quickly, for any number of texts, that none of them stands in a longer one: most of what is stored holds none. */
export class TextFilter {
  readonly #beginnings = new Uint8Array(size);

  constructor(texts: readonly string[]) {
    for (const text of texts) this.#beginnings[hashAt(text, 0)] = 1;
  }

  /** False if none of the texts stands in the given one. */
  mayHold(text: string): boolean {
    for (let at = 0; at <= text.length - length; at++)
      if (this.#beginnings[hashAt(text, at)] === 1) return true;
    return false;
  }
}

function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let next = at; next < at + length; next++) hash = (hash * 31 + text.charCodeAt(next)) | 0;
  return hash & (size - 1);
}
