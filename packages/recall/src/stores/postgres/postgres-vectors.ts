import type { PostgresClient } from "@palimpsest/sql";
import { bytesOf, digestOf, floats, numberOf } from "../passage-store.js";
import type { IdRange, Measured, StoredVectors, VectorPage, VectorRow } from "../passage-store.js";
import { textOf } from "./postgres-rows.js";

/** The vectors of texts in a Postgres database. */
export class PostgresVectors implements StoredVectors {
  readonly #client: PostgresClient;

  constructor(client: PostgresClient) {
    this.#client = client;
  }

  async after(id: number, { model, ids, limit }: VectorPage): Promise<VectorRow[]> {
    const { rows } = await this.#client.query(
      `SELECT p.id, v.value, CASE WHEN v.value IS NULL THEN p.text ELSE '' END AS text
          FROM palimpsest_recall_passages p
          LEFT JOIN palimpsest_recall_vectors v ON v.model = $1 AND v.digest = p.digest
          WHERE p.id > $2 AND p.id BETWEEN $3 AND $4 ORDER BY p.id LIMIT $5`,
      [digestOf(model), id, ...ids, limit],
    );
    return rows.map(({ id: own, value, text }) => ({
      id: Number(own),
      vector: value === null ? undefined : floats(value as Uint8Array),
      text: textOf(text),
    }));
  }

  async add(
    model: string,
    vectors: readonly { readonly text: string; readonly vector: Float32Array }[],
  ): Promise<void> {
    await this.#client.query(
      `INSERT INTO palimpsest_recall_vectors (model, digest, value)
          SELECT DISTINCT ON (digest) $1::text, digest, value FROM unnest($2::text[], $3::bytea[]) AS given(digest, value)
          ORDER BY digest
          ON CONFLICT (model, digest) DO UPDATE SET value = excluded.value`,
      [
        digestOf(model),
        vectors.map(({ text }) => digestOf(text)),
        vectors.map(({ vector }) => bytesOf(vector)),
      ],
    );
  }

  async measured(model: string, ids: IdRange): Promise<Measured | undefined> {
    const sql = "SELECT width, size FROM palimpsest_recall_graphs WHERE model = $1 AND thread = $2";
    const [row] = (await this.#client.query(sql, [digestOf(model), numberOf(ids)])).rows;
    return row === undefined ? undefined : { width: Number(row["width"]), size: Number(row["size"]) };
  }

  async keepMeasured(model: string, ids: IdRange, { width, size }: Measured): Promise<void> {
    await this.#client.query(
      `INSERT INTO palimpsest_recall_graphs VALUES ($1, $2, $3, $4)
          ON CONFLICT (model, thread) DO UPDATE SET width = excluded.width, size = excluded.size`,
      [digestOf(model), numberOf(ids), width, size],
    );
  }

  async remove(model: string): Promise<void> {
    await this.#client.query("DELETE FROM palimpsest_recall_vectors WHERE model = $1", [digestOf(model)]);
  }
}
