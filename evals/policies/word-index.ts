const k1 = 1.2;
const b = 0.75;

/** Returns the words of a text, repeats included: names and numbers of at least three characters. */
export function wordsOf(text: string): readonly string[] {
  return (text.match(/[A-Za-z_$][\w$]{2,}|\d{3,}/g) ?? []).map((word) => word.toLowerCase());
}

interface Document {
  /** Word number, count, word number, count, … */
  readonly words: readonly number[];
  readonly length: number;
}

/** Texts in the order of their addition, for ranking them by a query. */
export class WordIndex {
  readonly #documents: Document[] = [];
  readonly #numbers = new Map<string, number>();
  /** Per word: document, count, document, count, … */
  readonly #postings: number[][] = [];
  #totalLength = 0;

  add(words: readonly string[]): void {
    const counts = new Map<number, number>();
    for (const word of words) {
      const number = this.#numberOf(word);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    for (const [number, count] of counts) this.#postings[number]?.push(this.#documents.length, count);
    this.#documents.push({ words: [...counts].flat(), length: words.length });
    this.#totalLength += words.length;
  }

  /** Returns the BM25 score of each document. */
  bm25(query: readonly string[]): readonly number[] {
    const mean = this.#totalLength / this.#documents.length;
    return this.#score(query, (idf, count, { length }) => {
      return (idf * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / mean));
    });
  }

  /** Returns for each document the shared words by (1 + ln tf) · idf², divided by the norm of the document. */
  cosine(query: readonly string[]): readonly number[] {
    const idfs = this.#postings.map((_, number) => this.#idf(number));
    const scores = this.#score(query, (idf, count) => (1 + Math.log(count)) * idf * idf);
    return scores.map((score, at) => (score === 0 ? 0 : score / norm(this.#documents[at], idfs)));
  }

  #score(
    query: readonly string[],
    weigh: (idf: number, count: number, document: Document) => number,
  ): readonly number[] {
    const scores = Array.from({ length: this.#documents.length }, () => 0);
    for (const word of new Set(query)) {
      const number = this.#numbers.get(word);
      if (number === undefined) continue;
      const idf = this.#idf(number);
      const postings = this.#postings[number] ?? [];
      for (let at = 0; at < postings.length; at += 2) {
        const document = postings[at] ?? 0;
        const weight = weigh(idf, postings[at + 1] ?? 0, this.#documents[document] as Document);
        scores[document] = (scores[document] ?? 0) + weight;
      }
    }
    return scores;
  }

  #numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    this.#numbers.set(word, this.#postings.length);
    return this.#postings.push([]) - 1;
  }

  #idf(number: number): number {
    const having = (this.#postings[number]?.length ?? 0) / 2;
    return Math.log(1 + (this.#documents.length - having + 0.5) / (having + 0.5));
  }
}

function norm(document: Document | undefined, idfs: readonly number[]): number {
  const words = document?.words ?? [];
  let sum = 0;
  for (let at = 0; at < words.length; at += 2) {
    const weight = (1 + Math.log(words[at + 1] ?? 1)) * (idfs[words[at] ?? 0] ?? 0);
    sum += weight * weight;
  }
  return Math.sqrt(sum);
}
