import { digestOf, floats } from "./passage-rows.js";
import type { Statements } from "./statements.js";
import { numberOf, type IdRange } from "./thread-ids.js";

/** A passage with the vector of its text, or with its text where there is no vector yet. */
export interface VectorRow {
  readonly id: number;
  readonly vector: Float32Array | undefined;
  /** "" beside a vector. */
  readonly text: string;
}

/** The vectors of texts, by model: the same text is never embedded twice with one model. */
export class VectorTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Returns the passages of a thread after an id, in the order of the ids. */
  after(id: number, { model, ids, limit }: { model: string; ids: IdRange; limit: number }): VectorRow[] {
    return this.#statements
      .all<{ id: number; value: ArrayBuffer | Uint8Array | null; text: string }>(
        `SELECT p.id, v.value, CASE WHEN v.value IS NULL THEN p.text ELSE '' END AS text
          FROM passage p LEFT JOIN vector v ON v.model = ? AND v.digest = p.digest
          WHERE p.id > ? AND p.id BETWEEN ? AND ? ORDER BY p.id LIMIT ?`,
        model,
        id,
        ...ids,
        limit,
      )
      .map(({ id: own, value, text }) => ({
        id: own,
        vector: value === null ? undefined : floats(value),
        text,
      }));
  }

  /** Keeps the vectors of texts, in one transaction. */
  add(model: string, vectors: readonly { readonly text: string; readonly vector: Float32Array }[]): void {
    this.#statements.write(() => {
      for (const { text, vector } of vectors) {
        const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
        const sql = "INSERT OR REPLACE INTO vector(model, digest, value) VALUES (?, ?, ?)";
        this.#statements.run(sql, model, digestOf(text), bytes);
      }
    });
  }

  /** Returns how wide the graph of a thread is to be searched, and how many vectors it had when that was measured. */
  measured(model: string, ids: IdRange): { readonly width: number; readonly size: number } | undefined {
    const sql = "SELECT width, size FROM graph WHERE model = ? AND thread = ?";
    const row = this.#statements.get(sql, model, numberOf(ids));
    return row === undefined ? undefined : { width: Number(row["width"]), size: Number(row["size"]) };
  }

  keepMeasured(model: string, ids: IdRange, { width, size }: { width: number; size: number }): void {
    const sql = "INSERT OR REPLACE INTO graph(model, thread, width, size) VALUES (?, ?, ?, ?)";
    this.#statements.write(() => this.#statements.run(sql, model, numberOf(ids), width, size));
  }

  /** Forgets every vector of a model. */
  remove(model: string): void {
    this.#statements.write(() => this.#statements.run("DELETE FROM vector WHERE model = ?", model));
  }
}
