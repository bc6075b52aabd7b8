import type { SqliteRow } from "@palimpsest/sql";
import { packedAlone, unpackStored } from "../../codec/packing/bundle.js";
import type { Bundled, Stored } from "../../codec/packing/bundle.js";
import { digestOf } from "../../codec/reference.js";
import type { BlobsOptions } from "../../engine.js";
import { contentsAt, maxPerQuery, rowsOf } from "./blob-rows.js";
import { blobColumn, bytesOf } from "./columns.js";
import { bundleIn, LibsqlBundles } from "./libsql-bundles.js";
import { pointerSize, unlessDamaged } from "./standalone-values.js";
import type { LibsqlDatabase } from "./libsql-database.js";

/**
 * A collection takes the deleted values out of a bundle with a smaller share of referenced values, because it would waste more
 * than half of its bytes.
 */
const minBundleShare = 0.5;

/**
 * True for a blob that only the thread of the parameter owns. The count and the owners must agree, because one of them may be
 * damaged.
 */
const unshared = `users = 1
  AND NOT EXISTS (SELECT 1 FROM owners AS other WHERE other.blob = blobs.id AND other.thread <> ?)`;

/** Probe every eighth digest first. */
const probeEvery = 8;

/** Most digests of a load that is tried with one statement: most steps of a read load fewer. */
const maxAtOnce = 32;

/** The blobs found so far, possibly more than were requested, and the values of the loaded bundles. */
interface Known extends Required<BlobsOptions> {
  readonly blobs: Map<string, Stored>;
  readonly bundles: Map<number, readonly Bundled[]>;
}

/** The digests in bundles by number; none for a damaged one. */
type BundleDigests = Map<number, ReadonlySet<string>>;

/** A blob to store whose digest has a row. */
interface Given {
  readonly digest: string;
  readonly stored: Stored;
  readonly bundles: BundleDigests;
}

function isIntact(digest: string, stored: Stored): boolean {
  return unlessDamaged(() => digestOf(unpackStored(stored)) === digest) ?? false;
}

/** Blobs, each stored once, and the threads that own them. */
export class LibsqlBlobs {
  readonly #database: LibsqlDatabase;
  readonly #bundles: LibsqlBundles;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.#bundles = new LibsqlBundles(database);
  }

  /** Stores blobs. A damaged row is replaced: otherwise the thread would own an unreadable blob. */
  add(thread: number, blobs: ReadonlyMap<string, Stored>): void {
    const bundles: BundleDigests = new Map();
    const owned: number[] = [];
    const rows = rowsOf(this.#database, [...blobs.keys()]);
    for (const [digest, stored] of blobs) {
      const row = rows.get(digest);
      const known = row?.["id"];
      if (row && !this.#isIntact(row, { digest, stored, bundles }) && isIntact(digest, stored))
        this.restore([], digest, packedAlone(stored));
      if (known === undefined) {
        const packed = packedAlone(stored);
        const sql = "INSERT INTO blobs (digest, users, data) VALUES (?, 1, ?)";
        const { id } = this.#database.run(sql, Buffer.from(digest, "base64url"), packed);
        this.#database.run("INSERT OR IGNORE INTO owners (thread, blob) VALUES (?, ?)", thread, id);
        this.#bundles.add(thread, id, packed);
      } else owned.push(Number(known));
    }
    if (owned.length > 0) this.#own(thread, owned);
  }

  /**
   * Makes a thread an owner of existing blobs. Takes two statements for any number, because a copy of a thread owns all blobs
   * of the original.
   */
  #own(thread: number, blobs: readonly number[]): void {
    const listed = "(SELECT value FROM json_each(?))";
    const sql = `INSERT OR IGNORE INTO owners (thread, blob) SELECT ?, * FROM ${listed} WHERE true RETURNING blob`;
    const rows = this.#database.all(sql, thread, JSON.stringify(blobs));
    const added = JSON.stringify(rows.map(({ blob }) => Number(blob)));
    this.#database.run(`UPDATE blobs SET users = users + 1 WHERE id IN ${listed}`, added);
  }

  /** Returns true for a row that leads to its value. Unpacks neither a value that equals the given one nor an intact bundle. */
  #isIntact({ data }: SqliteRow, { digest, stored, bundles }: Given): boolean {
    const bytes = unlessDamaged(() => bytesOf(data));
    if (!bytes) return false;
    const number = bundleIn(bytes);
    if (number === undefined) {
      if (stored instanceof Uint8Array && Buffer.compare(bytes, stored) === 0) return true;
      return isIntact(digest, bytes);
    }
    if (this.#bundles.isFrom(stored, { digest, number })) return true;
    const known = bundles.get(number);
    const digests =
      known ?? new Set(unlessDamaged(() => this.#bundles.load(number)?.members.map((one) => one.digest)));
    bundles.set(number, digests);
    return digests.has(digest);
  }

  /** Stores a blob whose row is damaged or missing, for the threads that need it. */
  restore(threads: readonly number[], digest: string, packed: Uint8Array): void {
    const key = Buffer.from(digest, "base64url");
    const row = this.#database.get(`SELECT id, ${blobColumn("data")} FROM blobs WHERE digest = ?`, key);
    if (row) {
      this.#database.run("UPDATE blobs SET data = ? WHERE id = ?", packed, Number(row["id"]));
      const data = bytesOf(row["data"]);
      if (this.#bundles.mayHold(data, digest)) this.#bundles.release([data], 0);
    }
    for (const thread of threads) this.add(thread, new Map([[digest, packed]]));
  }

  /**
   * Returns the stored blobs. Call it in a transaction, because another may bundle or unbundle them. Probes every eighth of many
   * digests first: the bundles of those most often contain the others.
   */
  get(digests: readonly string[], { eachRow = false }: BlobsOptions = {}): Map<string, Stored> {
    const known: Known = { eachRow, blobs: new Map(), bundles: new Map() };
    const probed =
      eachRow || digests.length < probeEvery ? [] : digests.filter((_, index) => index % probeEvery === 0);
    this.#findAll(probed, known);
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
    for (let start = 0; start < digests.length; start += maxPerQuery)
      this.#find(digests.slice(start, start + maxPerQuery), known);
  }

  /**
   * Returns the stored blobs if they are few and none is in a bundle: one statement needs no transaction. Undefined for others,
   * which `get` returns.
   */
  getAtOnce(digests: readonly string[]): ReadonlyMap<string, Stored> | undefined {
    if (digests.length > maxAtOnce) return undefined;
    const found = contentsAt(this.#database, digests);
    return found?.some(({ data }) => bundleIn(data) !== undefined) === false
      ? new Map(found.map(({ digest, data }) => [digest, data]))
      : undefined;
  }

  #find(digests: readonly string[], known: Known): void {
    const found = contentsAt(this.#database, digests);
    if (found === undefined) {
      const half = digests.length / 2;
      this.#find(digests.slice(0, half), known);
      this.#find(digests.slice(half), known);
      return;
    }
    for (const { digest, data } of found) {
      const number = bundleIn(data);
      if (number !== undefined) this.#addBundle(number, digest, known);
      // A bundle that holds the blob too is intact, and this row may be a damaged pointer.
      else if (!known.blobs.has(digest)) known.blobs.set(digest, data);
    }
  }

  /** Adds the values of a bundle; with `eachRow`, only the one whose row points to it. */
  #addBundle(number: number, digest: string, { eachRow, blobs, bundles }: Known): void {
    const known = bundles.get(number);
    const members = known ?? this.#bundles.load(number)?.members ?? [];
    bundles.set(number, members);
    if (known && !eachRow) return;
    for (const member of members) if (!eachRow || member.digest === digest) blobs.set(member.digest, member);
  }

  /** Ends a thread's ownership of all its blobs and deletes those that no other thread owns. Returns how many it deleted. */
  disown(thread: number): number {
    const owned = "id IN (SELECT blob FROM owners WHERE thread = ?)";
    const rows = this.#database.all(
      `SELECT ${blobColumn("data")} FROM blobs WHERE length(data) = ${pointerSize} AND ${owned} AND ${unshared}`,
      thread,
      thread,
    );
    const { changes } = this.#database.run(
      `DELETE FROM blobs WHERE ${owned} AND ${unshared}`,
      thread,
      thread,
    );
    const deleted = rows.map((row) => bytesOf(row["data"]));
    this.#bundles.release(deleted, 1);
    this.#database.run(`UPDATE blobs SET users = users - 1 WHERE ${owned}`, thread);
    this.#database.run("DELETE FROM owners WHERE thread = ?", thread);
    return changes;
  }

  /**
   * Ends a thread's ownership of blobs that it does not reach and deletes those without an owner. Returns how many it deleted.
   * `minShare` is that of bundles: with 1 no deleted value stays in one.
   */
  keepOnly(thread: number, reached: ReadonlySet<string>, minShare = minBundleShare): number {
    const owned = this.#database.all(
      `SELECT id, ${blobColumn("digest")} FROM owners JOIN blobs ON id = blob WHERE thread = ?`,
      thread,
    );
    const deleted: Uint8Array[] = [];
    for (const { id, digest } of owned) {
      if (reached.has(Buffer.from(bytesOf(digest)).toString("base64url"))) continue;
      const blob = Number(id);
      this.#database.run("DELETE FROM owners WHERE thread = ? AND blob = ?", thread, blob);
      const sql = `DELETE FROM blobs WHERE id = ? AND ${unshared} RETURNING ${blobColumn("data")}`;
      const row = this.#database.get(sql, blob, thread);
      if (row) deleted.push(bytesOf(row["data"]));
      else this.#database.run("UPDATE blobs SET users = users - 1 WHERE id = ?", blob);
    }
    this.#bundles.release(deleted, minShare);
    return deleted.length;
  }
}
