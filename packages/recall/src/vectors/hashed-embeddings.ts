import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { RecallError } from "../recall-error.js";
import { frequentWords, termsOf } from "../words/terms.js";

export interface HashedEmbeddingsOptions {
  /** Dimensions of a vector. With fewer dimensions, more words share one. @default 512 */
  readonly dimensions?: number;
}

/** Share of a word's weight that its pieces get. */
const pieceWeight = 0.7;
const pieceLength = 4;

/**
 * Embeddings without a model: hashes each word of a text to one dimension of its vector (feature hashing), with the weight
 * 1 + ln of its count. Long and code-like words weigh more than stop words. Words with a common beginning or end are near
 * each other through their pieces of four letters; synonyms are not. The same text always has the same vector.
 */
export class HashedEmbeddings implements EmbeddingsInterface {
  readonly #dimensions: number;

  /** @throws RecallError "bad-option" unless dimensions is a whole number of at least 8. */
  constructor({ dimensions = 512 }: HashedEmbeddingsOptions = {}) {
    if (!Number.isInteger(dimensions) || dimensions < 8)
      throw new RecallError("bad-option", `dimensions is ${dimensions}: give a whole number of at least 8.`);
    this.#dimensions = dimensions;
  }

  embedDocuments(texts: string[]): Promise<number[][]> {
    return Promise.resolve(texts.map((text) => this.#vectorOf(text)));
  }

  embedQuery(text: string): Promise<number[]> {
    return Promise.resolve(this.#vectorOf(text));
  }

  #vectorOf(text: string): number[] {
    const vector = Array.from({ length: this.#dimensions }, () => 0);
    for (const [feature, weight] of features(text)) {
      const hash = hashOf(feature);
      const at = (hash >>> 1) % this.#dimensions;
      // Random signs keep words that share a dimension from adding up.
      vector[at] = (vector[at] ?? 0) + (hash & 1 ? weight : -weight);
    }
    const length = Math.hypot(...vector);
    return length === 0 ? vector : vector.map((value) => value / length);
  }
}

function features(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of termsOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const found = new Map<string, number>();
  const add = (feature: string, weight: number) => found.set(feature, (found.get(feature) ?? 0) + weight);
  for (const [word, count] of counts) {
    const weight = (1 + Math.log(count)) * weightOf(word);
    add(word, weight);
    const pieces = piecesOf(word);
    for (const piece of pieces) add(piece, (weight * pieceWeight) / Math.sqrt(pieces.length));
  }
  return found;
}

/** Estimates the rarity of a word without a corpus. */
function weightOf(word: string): number {
  if (frequentWords.has(word)) return 0.1;
  return Math.min(2, 0.5 + word.length / 8) + (/\d|[_$./:@-]/.test(word) ? 0.5 : 0);
}

function piecesOf(word: string): readonly string[] {
  if (!/^\p{L}{5,}$/u.test(word)) return [];
  const marked = `^${word}$`;
  return Array.from({ length: marked.length - pieceLength + 1 }, (_, at) =>
    marked.slice(at, at + pieceLength),
  );
}

/** 32-bit FNV-1a with one more round of mixing, because its low bits are weak. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
