import {
  Bundle,
  bundle,
  looksLike,
  packedAlone,
  unpackedSize,
  unpackStored,
} from "../../codec/packing/bundle.js";
import type { Bundled, Member, Stored } from "../../codec/packing/bundle.js";
import { dictionaryOf, unpack } from "../../codec/packing/pack.js";
import { digestOf } from "../../codec/reference.js";
import { blobColumn, bytesOf, numberColumn } from "./columns.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import { createBundles } from "./schema.js";
import { maxMemberBytes, pointerSize, StandaloneCache, unlessDamaged } from "./standalone-values.js";

/** The first byte of a pointer: no packed value of a pointer's length begins with it. The bundle's id follows. */
const pointerMark = 3;

/** A value that is not bundled, and its row. */
interface Single extends Member {
  readonly id: number;
  readonly key: Uint8Array;
  readonly users: number;
  readonly isDeflated: boolean;
  readonly isPage: boolean;
}

/**
 * Packs small values of a thread together once it has added enough of them. A value starts with a row of its own; when it is
 * bundled its row keeps a pointer. Pages of lists get bundles of their own, because a thread is read level by level, and the
 * values of pages are read after the pages. Every method runs inside a transaction of the caller.
 */
export class LibsqlBundles {
  readonly #database: LibsqlDatabase;
  readonly #standalone: StandaloneCache;
  /** The ids of bundles that were read from this file, and checked. */
  readonly #ids = new WeakMap<Bundle, number>();

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.#standalone = new StandaloneCache(database);
  }

  /** Records a new value of a thread. Bundles the thread's values when there are enough of them. */
  add(thread: number, id: number, packed: Uint8Array): void {
    const { newest, pages } = this.#standalone.of(thread, id);
    if (packed.length > maxMemberBytes || unpackedSize(packed) > maxMemberBytes) return;
    newest.add(id, unpackedSize(packed));
    if (!newest.isFull) return;
    const singles = this.#singles(newest.take());
    this.#bundle(singles.filter(({ isPage }) => !isPage));
    for (const page of singles) if (page.isPage) pages.add(page.id, page.bytes.length);
    if (pages.isFull) this.#bundle(this.#singles(pages.take()).filter(({ isPage }) => isPage));
  }

  /** Returns the bundle with an id, undefined when there is none. */
  load(id: number): Bundle | undefined {
    const row = this.#database.get(`SELECT ${blobColumn("data")} FROM bundles WHERE id = ?`, id);
    if (!row) return undefined;
    const bundle = new Bundle(bytesOf(row["data"]));
    this.#ids.set(bundle, id);
    return bundle;
  }

  /**
   * Returns true for a value that was read from the bundle of this file to which a row of its digest points, as in a copy of a
   * thread.
   */
  isFrom(stored: Stored, { digest, number }: { readonly digest: string; readonly number: number }): boolean {
    return (
      !(stored instanceof Uint8Array) && stored.digest === digest && this.#ids.get(stored.bundle) === number
    );
  }

  /**
   * Returns false for the content of a row that points to no bundle, or to an intact one without the value: its pointer is
   * damaged.
   */
  mayHold(data: Uint8Array, digest: string): boolean {
    const id = bundleIn(data);
    if (id === undefined) return false;
    const members = unlessDamaged(() => this.load(id)?.members ?? []);
    return members?.some((member) => member.digest === digest) ?? true;
  }

  /**
   * Counts down the bundles of deleted values, given the content of their rows. Takes the deleted values out of a bundle when the
   * share of its values that is left, between 0 and 1, is below `minShare`: with 1 no deleted value stays in a bundle.
   */
  release(deleted: readonly Uint8Array[], minShare: number): void {
    const counts = new Map<number, number>();
    for (const data of deleted) {
      const id = bundleIn(data);
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    for (const [id, count] of counts) {
      const sql = `UPDATE bundles SET users = users - ? WHERE id = ? RETURNING ${numberColumn("users")}, ${numberColumn("members")}`;
      const row = this.#database.get(sql, count, id);
      if (!row) continue;
      const { users, members } = row;
      if (users === 0 || Number(users) < minShare * Number(members)) this.#shrink(id, Number(users));
    }
  }

  /** Replaces a bundle by one of the values that rows still point to, even if the count says that none does. */
  #shrink(id: number, users: number): void {
    const left = unlessDamaged(() =>
      this.#pointedTo(id).map(({ row, member }) => ({ row, member, bytes: unpackStored(member) })),
    );
    if (!left && users > 0) return;
    this.#database.run("DELETE FROM bundles WHERE id = ?", id);
    const [first, second] = left ?? [];
    if (!left || !first) return;
    const values = left.map(({ member: { digest }, bytes }) => ({ digest, bytes }));
    const isDeflated = dictionaryOf(first.member.bundle.packed) !== undefined;
    const data = second ? pointerTo(this.#insert(values, isDeflated)) : packedAlone(first.member);
    for (const { row } of left) this.#database.run("UPDATE blobs SET data = ? WHERE id = ?", data, row);
  }

  /** Returns the values of a bundle that a row points to. */
  #pointedTo(id: number): readonly { readonly row: number; readonly member: Bundled }[] {
    const sql = "SELECT id FROM blobs WHERE digest = ? AND data = ?";
    return (this.load(id)?.members ?? []).flatMap((member) => {
      const row = this.#database.get(sql, Buffer.from(member.digest, "base64url"), pointerTo(id));
      return row ? [{ row: Number(row["id"]), member }] : [];
    });
  }

  #bundle(singles: readonly Single[]): void {
    if (singles.length < 2) return;
    createBundles(this.#database);
    // Compress only when the values were compressed: `compress: false` of the saver leaves no other trace.
    const isDeflated = singles.some((single) => single.isDeflated);
    const bundleId = this.#insert(singles, isDeflated);
    // Delete and insert instead of update: SQLite merges half-empty pages only where rows are deleted.
    for (const { id } of singles) this.#database.run("DELETE FROM blobs WHERE id = ?", id);
    for (const { id, key, users } of singles) {
      const row = "INSERT INTO blobs (id, digest, users, data) VALUES (?, ?, ?, ?)";
      this.#database.run(row, id, key, users, pointerTo(bundleId));
    }
  }

  /** Returns the id of a new bundle. */
  #insert(members: readonly Member[], compress: boolean): number {
    const sql = "INSERT INTO bundles (members, users, data) VALUES (?, ?, ?)";
    return this.#database.run(sql, members.length, members.length, bundle(members, { compress })).id;
  }

  #singles(ids: Iterable<number>): Single[] {
    return [...ids].flatMap((id) => this.#single(id) ?? []);
  }

  /** Returns a value that may be bundled: undefined for a deleted, bundled or damaged one, and for a tree other than a page. */
  #single(id: number): Single | undefined {
    const row = this.#database.get(
      `SELECT ${["digest", "data"].map(blobColumn).join(", ")}, ${numberColumn("users")} FROM blobs WHERE id = ?`,
      id,
    );
    if (!row) return undefined;
    const packed = bytesOf(row["data"]);
    const bytes = bundleIn(packed) === undefined ? unlessDamaged(() => unpack(packed)) : undefined;
    if (!bytes) return undefined;
    const key = bytesOf(row["digest"]);
    const digest = Buffer.from(key).toString("base64url");
    const looks = looksLike(bytes);
    if (looks === "tree" || digestOf(bytes) !== digest) return undefined;
    return {
      id,
      key,
      users: Number(row["users"]),
      digest,
      bytes,
      isDeflated: dictionaryOf(packed) !== undefined,
      isPage: looks === "page",
    };
  }
}

/** Returns the id of the bundle that a row points to, undefined for a row that contains a value. Pure. */
export function bundleIn(data: Uint8Array, start = 0, end = data.length): number | undefined {
  if (end - start !== pointerSize || data[start] !== pointerMark) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).readUIntBE(start + 1, pointerSize - 1);
}

function pointerTo(id: number): Buffer {
  const pointer = Buffer.alloc(pointerSize, pointerMark);
  pointer.writeUIntBE(id, 1, pointerSize - 1);
  return pointer;
}
