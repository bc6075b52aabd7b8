import type { Sqlite } from "@palimpsest/sql";
import { bytesOf, digestOf, floats, numberOf } from "../passage-store.js";
import type { IdRange, Measured, VectorPage, VectorRow } from "../passage-store.js";
import { textOf } from "./passage-rows.js";
import type { TextRow } from "./passage-rows.js";

/** The vectors of texts by model: no text is embedded twice with one model. */
export class VectorTable {
  readonly #database: Sqlite;

  constructor(database: Sqlite) {
    this.#database = database;
  }

  /** Returns the passages of a thread with ids greater than `id`, in the order of their ids. */
  after(id: number, { model, ids, limit }: VectorPage): VectorRow[] {
    return this.#database
      .all<{ readonly id: number } & TextRow<"value" | "text">>(
        `SELECT p.id, CAST(v.value AS BLOB) AS value, CAST(CASE WHEN v.value IS NULL THEN p.text ELSE '' END AS BLOB) AS text
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
        text: textOf(text),
      }));
  }

  /** Stores the vectors of texts in one transaction. */
  add(model: string, vectors: readonly { readonly text: string; readonly vector: Float32Array }[]): void {
    this.#database.write(() => {
      for (const { text, vector } of vectors) {
        const sql = "INSERT OR REPLACE INTO vector(model, digest, value) VALUES (?, ?, ?)";
        this.#database.run(sql, model, digestOf(text), bytesOf(vector));
      }
    });
  }

  measured(model: string, ids: IdRange): Measured | undefined {
    const sql = "SELECT width, size FROM graph WHERE model = ? AND thread = ?";
    const row = this.#database.get(sql, model, numberOf(ids));
    return row === undefined ? undefined : { width: Number(row["width"]), size: Number(row["size"]) };
  }

  keepMeasured(model: string, ids: IdRange, { width, size }: Measured): void {
    const sql = "INSERT OR REPLACE INTO graph(model, thread, width, size) VALUES (?, ?, ?, ?)";
    this.#database.write(() => this.#database.run(sql, model, numberOf(ids), width, size));
  }

  /** Deletes every vector of a model. */
  remove(model: string): void {
    this.#database.write(() => this.#database.run("DELETE FROM vector WHERE model = ?", model));
  }
}
