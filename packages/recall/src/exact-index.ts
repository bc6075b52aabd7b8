import type { ScoredId } from "./passage-table.js";
import type { VectorIndex } from "./vector-index.js";

/** Compares with every vector: exact, and fast enough for some ten thousand. */
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

  nearest(query: Float32Array, limit: number): ScoredId[] {
    return this.#ids
      .map((id, index) => ({ id, score: this.#product(query, index * this.dimensions) }))
      .toSorted((one, other) => other.score - one.score || one.id - other.id)
      .slice(0, limit);
  }

  #product(query: Float32Array, start: number): number {
    let sum = 0;
    for (let at = 0; at < this.dimensions; at++) sum += (query[at] ?? 0) * (this.#values[start + at] ?? 0);
    return sum;
  }
}
