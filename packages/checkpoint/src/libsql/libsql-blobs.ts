import { bytesOf } from "./bytes-of.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import { textOf } from "./text-of.js";

const perQuery = 256;

/** Bytes of a digest. */
const keySize = 16;

/** Blobs, each stored once, and which threads use them. */
export class LibsqlBlobs {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  add(thread: number, blobs: ReadonlyMap<string, Uint8Array>): void {
    const own = "INSERT OR IGNORE INTO owners (thread, blob) VALUES (?, ?)";
    for (const [digest, packed] of blobs) {
      const key = Buffer.from(digest, "base64url");
      const sql = "INSERT INTO blobs (digest, users, data) VALUES (?, 1, ?) ON CONFLICT DO NOTHING";
      const { changes, id } = this.#database.run(sql, key, packed);
      if (changes === 1) {
        this.#database.run(own, thread, id);
        continue;
      }
      const blob = Number(this.#database.get("SELECT id FROM blobs WHERE digest = ?", key)?.["id"]);
      if (this.#database.run(own, thread, blob).changes === 0) continue;
      this.#database.run("UPDATE blobs SET users = users + 1 WHERE id = ?", blob);
    }
  }

  /**
   * The packed blobs that are there. Each query gives one row with all of its blobs joined, which the cast keeps byte for
   * byte: a row for each would take longer to make than all the rest of reading a thread.
   */
  get(digests: readonly string[]): Map<string, Uint8Array> {
    const found = new Map<string, Uint8Array>();
    for (let start = 0; start < digests.length; start += perQuery)
      this.#find(digests.slice(start, start + perQuery), found);
    return found;
  }

  #find(digests: readonly string[], found: Map<string, Uint8Array>): void {
    const keys = Buffer.alloc(digests.length * keySize);
    for (const [index, digest] of digests.entries()) keys.write(digest, index * keySize, "base64url");
    let row;
    try {
      row = this.#database.get(joinedBlobs(digests.length), keys);
    } catch (error) {
      // A value of SQLite holds a gigabyte: more than that is read in halves.
      if (digests.length === 1 || !String(error).includes("too big")) throw error;
      const half = digests.length / 2;
      this.#find(digests.slice(0, half), found);
      this.#find(digests.slice(half), found);
      return;
    }
    if (!row || row["positions"] === null) return;
    const all = bytesOf(row["data"]);
    const sizes = textOf(row["sizes"]).split(",");
    let offset = 0;
    for (const [index, position] of textOf(row["positions"]).split(",").entries()) {
      const end = offset + Number(sizes[index]);
      found.set(digests[Number(position)] ?? "", all.subarray(offset, end));
      offset = end;
    }
  }

  /** Takes all of a thread's blobs from it and deletes those that nobody else uses. Returns how many that were. */
  disown(thread: number): number {
    const owned = "id IN (SELECT blob FROM owners WHERE thread = ?)";
    const { changes } = this.#database.run(`DELETE FROM blobs WHERE users = 1 AND ${owned}`, thread);
    this.#database.run(`UPDATE blobs SET users = users - 1 WHERE ${owned}`, thread);
    this.#database.run("DELETE FROM owners WHERE thread = ?", thread);
    return changes;
  }

  /** Takes from a thread the blobs that it no longer reaches, and deletes those that nobody else uses. */
  keepOnly(thread: number, reached: ReadonlySet<string>): number {
    const owned = this.#database.all(
      "SELECT blobs.id AS id, blobs.digest AS digest FROM owners JOIN blobs ON blobs.id = owners.blob WHERE thread = ?",
      thread,
    );
    let deleted = 0;
    for (const row of owned) {
      if (reached.has(Buffer.from(bytesOf(row["digest"])).toString("base64url"))) continue;
      const blob = Number(row["id"]);
      this.#database.run("DELETE FROM owners WHERE thread = ? AND blob = ?", thread, blob);
      const { changes } = this.#database.run("DELETE FROM blobs WHERE id = ? AND users = 1", blob);
      if (changes === 0) this.#database.run("UPDATE blobs SET users = users - 1 WHERE id = ?", blob);
      deleted += changes;
    }
    return deleted;
  }
}

const statements = new Map<number, string>();

/** A statement for a number of digests, given one behind the other: a value for each would take as long as finding it. */
function joinedBlobs(count: number): string {
  const known = statements.get(count);
  if (known !== undefined) return known;
  const wanted = Array.from({ length: count }, (_, index) => `(${index})`).join(",");
  const sql = `SELECT group_concat(wanted.column1) AS positions, group_concat(length(data)) AS sizes,
    CAST(group_concat(data, '') AS BLOB) AS data
    FROM (VALUES ${wanted}) AS wanted
    CROSS JOIN blobs ON digest = substr(?1, 1 + ${keySize} * wanted.column1, ${keySize})`;
  statements.set(count, sql);
  return sql;
}
