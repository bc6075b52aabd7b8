import { packedAlone } from "../../codec/packing/bundle.js";
import type { Stored } from "../../codec/packing/bundle.js";
import { bytesOf, textOf } from "./columns.js";
import { bundleIn, LibsqlBundles } from "./libsql-bundles.js";
import { pointerSize } from "./standalone-values.js";
import type { LibsqlDatabase } from "./libsql-database.js";

const perQuery = 256;

/** What a collection has to leave of a bundle: with less, what is left would take more than twice its room. */
const leastLeft = 0.5;

/** Of so many neighbours one is looked up first. */
const perLookup = 8;

/** Bytes of a digest. */
const keySize = 16;

/**
 * The blobs of digests that are given one behind the other, in one row: a row for each takes longer, and so does a value for
 * each. The cast keeps their bytes as they are.
 */
const joinedBlobs = `
  WITH RECURSIVE wanted(position) AS (
    SELECT 0 UNION ALL SELECT position + 1 FROM wanted WHERE position + 1 < length(?1) / ${keySize}
  )
  SELECT group_concat(position) AS positions, group_concat(length(data)) AS sizes,
    CAST(group_concat(data, '') AS BLOB) AS data
  FROM wanted CROSS JOIN blobs ON digest = substr(?1, 1 + ${keySize} * position, ${keySize})`;

/** The blobs that are known of by now, more than were asked for, and the bundles that were loaded. */
interface Known {
  readonly blobs: Map<string, Stored>;
  readonly bundles: Set<number>;
}

/** Blobs, each stored once, and which threads use them. */
export class LibsqlBlobs {
  readonly #database: LibsqlDatabase;
  readonly #bundles: LibsqlBundles;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.#bundles = new LibsqlBundles(database);
  }

  add(thread: number, blobs: ReadonlyMap<string, Stored>): void {
    const own = "INSERT OR IGNORE INTO owners (thread, blob) VALUES (?, ?)";
    for (const [digest, stored] of blobs) {
      const key = Buffer.from(digest, "base64url");
      const there = this.#database.get("SELECT id FROM blobs WHERE digest = ?", key)?.["id"];
      if (there === undefined) {
        const packed = packedAlone(stored);
        const sql = "INSERT INTO blobs (digest, users, data) VALUES (?, 1, ?)";
        const { id } = this.#database.run(sql, key, packed);
        this.#database.run(own, thread, id);
        this.#bundles.add(thread, id, packed);
      } else if (this.#database.run(own, thread, Number(there)).changes === 1) {
        this.#database.run("UPDATE blobs SET users = users + 1 WHERE id = ?", Number(there));
      }
    }
  }

  /**
   * The blobs that are there. To be called in a transaction: what is bundled now may stand elsewhere in the next one. Of
   * neighbours a few are looked up first: the bundles that they are in most often have the others too.
   */
  get(digests: readonly string[]): Map<string, Stored> {
    const known: Known = { blobs: new Map(), bundles: new Set() };
    this.#findAll(
      digests.filter((_, index) => index % perLookup === 0),
      known,
    );
    this.#findAll(
      digests.filter((digest) => !known.blobs.has(digest)),
      known,
    );
    const found = new Map<string, Stored>();
    for (const digest of digests) {
      const stored = known.blobs.get(digest);
      if (stored) found.set(digest, stored);
    }
    return found;
  }

  #findAll(digests: readonly string[], known: Known): void {
    for (let start = 0; start < digests.length; start += perQuery)
      this.#find(digests.slice(start, start + perQuery), known);
  }

  #find(digests: readonly string[], known: Known): void {
    const keys = Buffer.alloc(digests.length * keySize);
    for (const [index, digest] of digests.entries()) keys.write(digest, index * keySize, "base64url");
    let row;
    try {
      row = this.#database.get(joinedBlobs, keys);
    } catch (error) {
      // A value of SQLite holds a gigabyte: more than that is read in halves.
      if (digests.length === 1 || !String(error).includes("too big")) throw error;
      const half = digests.length / 2;
      this.#find(digests.slice(0, half), known);
      this.#find(digests.slice(half), known);
      return;
    }
    if (!row || row["positions"] === null) return;
    const all = bytesOf(row["data"]);
    const sizes = textOf(row["sizes"]).split(",");
    let offset = 0;
    for (const [index, position] of textOf(row["positions"]).split(",").entries()) {
      const end = offset + Number(sizes[index]);
      const number = bundleIn(all, offset, end);
      if (number === undefined) known.blobs.set(digests[Number(position)] ?? "", all.subarray(offset, end));
      else this.#addBundle(number, known);
      offset = end;
    }
  }

  #addBundle(number: number, { blobs, bundles }: Known): void {
    if (bundles.has(number)) return;
    bundles.add(number);
    for (const member of this.#bundles.load(number)?.members ?? []) blobs.set(member.digest, member);
  }

  /** Takes all of a thread's blobs from it and deletes those that nobody else uses. Returns how many that were. */
  disown(thread: number): number {
    const owned = "id IN (SELECT blob FROM owners WHERE thread = ?)";
    const rows = this.#database.all(
      `SELECT data FROM blobs WHERE users = 1 AND length(data) = ${pointerSize} AND ${owned}`,
      thread,
    );
    const { changes } = this.#database.run(`DELETE FROM blobs WHERE users = 1 AND ${owned}`, thread);
    const deleted = rows.map((row) => bytesOf(row["data"]));
    this.#bundles.release(deleted, 1);
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
    const deleted: Uint8Array[] = [];
    for (const { id, digest } of owned) {
      if (reached.has(Buffer.from(bytesOf(digest)).toString("base64url"))) continue;
      const blob = Number(id);
      this.#database.run("DELETE FROM owners WHERE thread = ? AND blob = ?", thread, blob);
      const sql = "DELETE FROM blobs WHERE id = ? AND users = 1 RETURNING data";
      const row = this.#database.get(sql, blob);
      if (row) deleted.push(bytesOf(row["data"]));
      else this.#database.run("UPDATE blobs SET users = users - 1 WHERE id = ?", blob);
    }
    this.#bundles.release(deleted, leastLeft);
    return deleted.length;
  }
}
