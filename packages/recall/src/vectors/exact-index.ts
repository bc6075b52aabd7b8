import type { ScoredId } from "../passage.js";

/** Compares with every vector: exact, and fast enough for some ten thousand vectors. */
export class ExactIndex implements VectorIndex {
  readonly dimensions: number;
  readonly #ids: number[] = [];
  #values: Float32Array;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#values = new Float32Array(dimensions * 64);
  }

  get size(): number {
    return this.#ids.length;
  }

  get last(): number {
    return this.#ids.at(-1) ?? 0;
  }

  add(id: number, vector: Float32Array): void {
    const start = this.#ids.length * this.dimensions;
    if (start + this.dimensions > this.#values.length) {
      const grown = new Float32Array(this.#values.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values.set(vector, start);
    this.#ids.push(id);
  }

  /** Returns the entry with a 0-based position in the order of additions. */
  at(index: number): { readonly id: number; readonly vector: Float32Array } {
    const start = index * this.dimensions;
    return { id: this.#ids[index] ?? 0, vector: this.#values.subarray(start, start + this.dimensions) };
  }

  nearest(query: Float32Array, limit: number): ScoredId[] {
    const scores = products(query, this.#values, this.size);
    const least = nthLargest(scores, limit);
    const found: ScoredId[] = [];
    for (const [index, score] of scores.entries())
      if (score >= least) found.push({ id: this.#ids[index] ?? 0, score });
    return found.toSorted((one, other) => other.score - one.score || one.id - other.id).slice(0, limit);
  }
}

/**
 * Returns the dot product of the query with each vector. Ours instead of core's `cosineSimilarity`, which works on nested
 * arrays. Four sums run in parallel, because each addition waits for the previous one.
 */
function products(query: Float32Array, values: Float32Array, count: number): Float32Array {
  const size = query.length;
  const found = new Float32Array(count);
  for (let index = 0, start = 0; index < count; index++, start += size) {
    let [one, two, three, four] = [0, 0, 0, 0];
    let at = 0;
    for (; at + 3 < size; at += 4) {
      one += (query[at] as number) * (values[start + at] as number);
      two += (query[at + 1] as number) * (values[start + at + 1] as number);
      three += (query[at + 2] as number) * (values[start + at + 2] as number);
      four += (query[at + 3] as number) * (values[start + at + 3] as number);
    }
    for (; at < size; at++) one += (query[at] as number) * (values[start + at] as number);
    found[index] = one + two + three + four;
  }
  return found;
}

function nthLargest(scores: Float32Array, limit: number): number {
  return limit >= scores.length ? -Infinity : (scores.toSorted()[scores.length - limit] ?? -Infinity);
}

/** Finds the nearest vectors. All vectors have length 1, so the dot product is the similarity. */
export interface VectorIndex {
  readonly dimensions: number;
  readonly size: number;
  /** The highest id in the index; 0 when it is empty. */
  readonly last: number;
  add(id: number, vector: Float32Array): void;
  nearest(query: Float32Array, limit: number): ScoredId[];
}
