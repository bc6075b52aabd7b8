import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { RecallError } from "../recall-error.js";
import { frequentWords, termsOf } from "../words/terms.js";

export interface HashedEmbeddingsOptions {
  /** Numbers of a vector; fewer means that more words share one. @default 512 */
  readonly dimensions?: number;
}

/** Shares of the weight of a word that its pieces get. */
const pieceWeight = 0.7;
const pieceLength = 4;

/**
 * Embeddings without a model: each word of a text is hashed to one of the numbers of its vector (feature hashing), with
 * 1 + ln of its count, and long and code-like words weighing more than the frequent ones. Words that begin or end alike
 * come near each other through their pieces of four letters; words that merely mean alike do not.
 *
 * Nothing is learnt and nothing is downloaded: the same text always gives the same vector.
 */
export class HashedEmbeddings implements EmbeddingsInterface {
  readonly #dimensions: number;

  /** @throws RecallError "bad-option" for dimensions that are no number from 8 on. */
  constructor({ dimensions = 512 }: HashedEmbeddingsOptions = {}) {
    if (!Number.isInteger(dimensions) || dimensions < 8)
      throw new RecallError("bad-option", `dimensions is ${dimensions}: give a whole number from 8 on.`);
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
      // The sign keeps words that share a number from adding up.
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

/** Stands for the rarity of a word where no collection of texts was counted. */
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

/** FNV-1a of 32 bits, with its bits mixed once more, for the low ones are weak. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
