import { bytesOf, digestOf, floats, numberOf } from "../passage-store.js";
import type { IdRange, Measured, VectorPage, VectorRow } from "../passage-store.js";
import type { Statements } from "./statements.js";

/** The vectors of texts by model: no text is embedded twice with one model. */
export class VectorTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** Returns the passages of a thread with ids greater than `id`, in the order of their ids. */
  after(id: number, { model, ids, limit }: VectorPage): VectorRow[] {
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

  /** Stores the vectors of texts in one transaction. */
  add(model: string, vectors: readonly { readonly text: string; readonly vector: Float32Array }[]): void {
    this.#statements.write(() => {
      for (const { text, vector } of vectors) {
        const sql = "INSERT OR REPLACE INTO vector(model, digest, value) VALUES (?, ?, ?)";
        this.#statements.run(sql, model, digestOf(text), bytesOf(vector));
      }
    });
  }

  measured(model: string, ids: IdRange): Measured | undefined {
    const sql = "SELECT width, size FROM graph WHERE model = ? AND thread = ?";
    const row = this.#statements.get(sql, model, numberOf(ids));
    return row === undefined ? undefined : { width: Number(row["width"]), size: Number(row["size"]) };
  }

  keepMeasured(model: string, ids: IdRange, { width, size }: Measured): void {
    const sql = "INSERT OR REPLACE INTO graph(model, thread, width, size) VALUES (?, ?, ?, ?)";
    this.#statements.write(() => this.#statements.run(sql, model, numberOf(ids), width, size));
  }

  /** Deletes every vector of a model. */
  remove(model: string): void {
    this.#statements.write(() => this.#statements.run("DELETE FROM vector WHERE model = ?", model));
  }
}
