import { contentWords } from "../../words/words.js";

/** The vector of a text; a `Float32Array` takes the least memory. */
export type TextVector = ArrayLike<number>;

/** Dimensions of a vector of hashed words. */
const hashedSize = 512;

/**
 * Returns the text that the past is compared with: `R_t = Q + R_full(t-N) + ... + R_full(t-1)`, cut to `characters` (PACE,
 * 3.2 query text and vectors). Pure. The texts of keys are cut to the same number.
 *
 * The paper cuts the end of the joined text, so that a question longer than the limit would be the whole query. Here the
 * longest parts are cut first: each part keeps an equal share of the limit, and the unused share of a short part goes to the
 * others.
 */
export function paceQuery(parts: readonly string[], characters: number): string {
  const separators = Math.max(0, parts.length - 1);
  const shares = equalShares(
    parts.map(({ length }) => length),
    Math.max(0, characters - separators),
  );
  return parts
    .map((part, at) => part.slice(0, shares[at]))
    .join("\n")
    .slice(0, characters);
}

/** Returns shares of `total`, each at most its length, and equal for those that are cut. */
function equalShares(lengths: readonly number[], total: number): readonly number[] {
  const shares = lengths.map(() => 0);
  let left = total;
  let parts = lengths.length;
  const shortestFirst = lengths.map((length, at) => ({ length, at })).sort((a, b) => a.length - b.length);
  for (const { length, at } of shortestFirst) {
    const share = Math.min(length, Math.floor(left / parts));
    shares[at] = share;
    left -= share;
    parts--;
  }
  return shares;
}

/** Returns the cosine of two vectors: `s_i = cos(q_t, k_i)` (PACE, 3.2 similarity). 0 for a zero vector. Pure. */
export function cosine(one: TextVector, other: TextVector): number {
  let dot = 0;
  let square = 0;
  let otherSquare = 0;
  for (let at = 0; at < one.length; at++) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    dot += a * b;
    square += a * a;
    otherSquare += b * b;
  }
  const length = Math.sqrt(square) * Math.sqrt(otherSquare);
  return length === 0 ? 0 : dot / length;
}

/** Returns the vector at length 1, so that {@link dotProduct} of two is their cosine. A zero vector stays one. Pure. */
export function unitVector(vector: TextVector): Float32Array {
  const unit = Float32Array.from(vector);
  let square = 0;
  for (const value of unit) square += value * value;
  const length = Math.sqrt(square);
  return length === 0 ? unit : unit.map((value) => value / length);
}

/** A sparse vector, such as one of hashed words: the values that are not 0, each with its index. */
export interface SparseVector {
  readonly places: Uint16Array;
  readonly values: Float32Array;
}

/** Returns a vector of at most 65,536 dimensions in sparse form. Pure. */
export function sparseVector(vector: Float32Array): SparseVector {
  const places = Uint16Array.from(vector.keys()).filter((place) => vector[place] !== 0);
  return { places, values: Float32Array.from(places, (place) => vector[place] ?? 0) };
}

/** Returns the dot product of two vectors of the same size: their cosine if both have length 1. Pure. */
export function dotProduct(one: Float32Array, other: Float32Array | SparseVector): number {
  let sum = 0;
  if (other instanceof Float32Array) {
    for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
    return sum;
  }
  const { places, values } = other;
  for (let at = 0; at < places.length; at++) sum += (one[places[at] ?? 0] ?? 0) * (values[at] ?? 0);
  return sum;
}

/** Returns `w_i = exp(s_i / tau) / sum_j exp(s_j / tau)` (PACE, 3.2 weight). Pure; safe from overflow. */
export function softmaxWeights(similarities: readonly number[], temperature: number): readonly number[] {
  const largest = similarities.reduce((best, value) => Math.max(best, value), -Infinity);
  const powers = similarities.map((value) => Math.exp((value - largest) / temperature));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}

/** Returns `M * w_i`, whose mean is 1 (PACE, 3.2 relative weight). Pure. */
export function relativeWeights(weights: readonly number[]): readonly number[] {
  return weights.map((weight) => weights.length * weight);
}

/**
 * Returns a vector of a text without an encoder: each word is hashed to one of 512 dimensions and weighs `1 + ln count`;
 * length 1.
 *
 * Pure. `weigh` scales a word, for example by how rare it is. An empty text has a zero vector.
 */
export function hashVector(text: string, weigh: (word: string) => number = one): readonly number[] {
  const counts = new Map<string, number>();
  for (const word of contentWords(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const vector = Array.from({ length: hashedSize }, () => 0);
  for (const [word, count] of counts) {
    const hash = hashOf(word);
    const at = (hash >>> 1) % hashedSize;
    const sign = (hash & 1) === 0 ? 1 : -1;
    vector[at] = (vector[at] ?? 0) + sign * (1 + Math.log(count)) * weigh(word);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/**
 * Returns the similarities with missing ones taken from `byWords`, shifted and scaled to the mean and the standard deviation of
 * the known similarities. Returns `byWords` if fewer than two are known. Pure.
 *
 * Cosines of an encoder and of hashed words have different scales and cannot be compared without this.
 */
export function mergeSimilarities(
  similarities: readonly (number | undefined)[],
  byWords: readonly number[],
): readonly number[] {
  const both = similarities.flatMap((value, at) =>
    value === undefined ? [] : [{ value, words: byWords[at] ?? 0 }],
  );
  if (both.length < 2) return byWords;
  if (both.length === similarities.length) return both.map(({ value }) => value);
  const encoded = spread(both.map(({ value }) => value));
  const worded = spread(byWords);
  const stretch = worded.deviation === 0 ? 0 : encoded.deviation / worded.deviation;
  return similarities.map(
    (value, at) => value ?? encoded.mean + stretch * ((byWords[at] ?? 0) - worded.mean),
  );
}

function spread(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

function one(): number {
  return 1;
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
