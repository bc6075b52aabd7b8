import { CheckpointError } from "../../checkpoint-error.js";
import { Bundle, bundle, packedAlone, unpackedSize } from "../../codec/packing/bundle.js";
import type { Member } from "../../codec/packing/bundle.js";
import { looksLike } from "../../codec/packing/looks-like.js";
import { dictionaryOf, unpack } from "../../codec/packing/pack.js";
import { digestOf } from "../../codec/reference.js";
import { bytesOf } from "./bytes-of.js";
import type { LibsqlDatabase, Row } from "./libsql-database.js";
import { Waiting } from "./waiting.js";

/** What is longer by itself gains little from company. */
const longestMember = 8192;

/** Of a thread that this process has not written to yet so many of the newest values may still stand alone. */
const leftAlone = 64;

const rememberedThreads = 256;

/** In the place of a value that is in a bundle: a mark that no packed value of that length has, and the bundle's number. */
const pointerMark = 3;
export const pointerSize = 7;

/** A value that stands alone, and its row. */
interface Single extends Member {
  readonly id: number;
  readonly key: Uint8Array;
  readonly users: number;
  readonly isDeflated: boolean;
  readonly isPage: boolean;
}

/** Values of a thread that stand alone. */
interface Alone {
  readonly newest: Waiting;
  /** Pages of lists among those that were the newest before. */
  readonly pages: Waiting;
}

/**
 * Small values, stored together once a thread has added enough of them. A value stands alone at first; when it is bundled
 * its row keeps a pointer. Pages of lists are bundled by themselves: a thread is read level by level, and what they refer
 * to is read after them. Only where work is done in one transaction, as all of this has to be.
 */
export class LibsqlBundles {
  readonly #database: LibsqlDatabase;
  readonly #alone = new Map<number, Alone>();

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  /** Takes note of a value that a thread has got, and bundles it with those before it when they are enough. */
  add(thread: number, id: number, packed: Uint8Array): void {
    const { newest, pages } = this.#aloneOf(thread, id);
    if (packed.length > longestMember || unpackedSize(packed) > longestMember) return;
    newest.add(id, unpackedSize(packed));
    if (!newest.isEnough) return;
    const singles = this.#singles(newest.take());
    this.#bundle(singles.filter(({ isPage }) => !isPage));
    for (const page of singles) if (page.isPage) pages.add(page.id, page.bytes.length);
    if (pages.isEnough) this.#bundle(this.#singles(pages.take()).filter(({ isPage }) => isPage));
  }

  /** The bundle with a number, if it is there. */
  load(number: number): Bundle | undefined {
    const row = this.#database.get("SELECT data FROM bundles WHERE id = ?", number);
    return row && new Bundle(bytesOf(row["data"]));
  }

  /**
   * Takes note of values that were deleted, by what stood in their rows. A bundle of which less than a share is left, between
   * 0 and 1, is dissolved: with 1 nothing of what was deleted stays.
   */
  release(deleted: readonly Uint8Array[], share: number): void {
    const counts = new Map<number, number>();
    for (const data of deleted) {
      const number = bundleIn(data);
      if (number !== undefined) counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    for (const [number, count] of counts) {
      const sql = "UPDATE bundles SET users = users - ? WHERE id = ? RETURNING users, members";
      const row = this.#database.get(sql, count, number);
      if (!row) continue;
      const { users, members } = row;
      if (users === 0) this.#database.run("DELETE FROM bundles WHERE id = ?", number);
      else if (Number(users) < share * Number(members)) this.#dissolve(number);
    }
  }

  #dissolve(number: number): void {
    const alone = unlessDamaged(() => {
      const whole = this.load(number);
      return whole?.members.map((member) => [member.digest, packedAlone(member)] as const);
    });
    if (!alone) return;
    for (const [digest, packed] of alone) {
      const sql = "UPDATE blobs SET data = ? WHERE digest = ? AND data = ?";
      this.#database.run(sql, packed, Buffer.from(digest, "base64url"), pointerTo(number));
    }
    this.#database.run("DELETE FROM bundles WHERE id = ?", number);
  }

  #bundle(singles: readonly Single[]): void {
    if (singles.length < 2) return;
    this.#database.exec(`CREATE TABLE IF NOT EXISTS bundles (
      id INTEGER PRIMARY KEY, members INTEGER NOT NULL, users INTEGER NOT NULL, data BLOB NOT NULL
    )`);
    const sql = "INSERT INTO bundles (members, users, data) VALUES (?, ?, ?)";
    // What was not compressed by itself is not here either.
    const data = bundle(singles, { compress: singles.some(({ isDeflated }) => isDeflated) });
    const { id: number } = this.#database.run(sql, singles.length, singles.length, data);
    // Not updated: SQLite joins pages that hold little only where rows are deleted.
    for (const { id } of singles) this.#database.run("DELETE FROM blobs WHERE id = ?", id);
    for (const { id, key, users } of singles) {
      const row = "INSERT INTO blobs (id, digest, users, data) VALUES (?, ?, ?, ?)";
      this.#database.run(row, id, key, users, pointerTo(number));
    }
  }

  #singles(ids: Iterable<number>): Single[] {
    return [...ids].flatMap((id) => this.#single(id) ?? []);
  }

  /** A value that stands alone still, and may be bundled: not a tree other than a page, nor what is damaged. */
  #single(id: number): Single | undefined {
    const row = this.#database.get("SELECT digest, users, data FROM blobs WHERE id = ?", id);
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

  /** What stands alone of a thread; at first what an earlier process left, before a value with an id. */
  #aloneOf(thread: number, before: number): Alone {
    const known = this.#alone.get(thread);
    if (known) {
      this.#alone.delete(thread);
      this.#alone.set(thread, known);
      return known;
    }
    const rows: Row[] = this.#database.all(
      `SELECT id, data FROM owners JOIN blobs ON id = blob
       WHERE thread = ? AND blob < ? AND length(data) BETWEEN ${pointerSize + 1} AND ${longestMember}
       ORDER BY blob DESC LIMIT ${leftAlone}`,
      thread,
      before,
    );
    const alone: Alone = { newest: new Waiting(), pages: new Waiting() };
    for (const row of rows.toReversed()) {
      const size = unlessDamaged(() => unpackedSize(bytesOf(row["data"])));
      if (size === undefined || size > longestMember) continue;
      alone.newest.add(Number(row["id"]), size);
    }
    this.#alone.set(thread, alone);
    const oldest = this.#alone.keys().next().value;
    if (this.#alone.size > rememberedThreads && oldest !== undefined) this.#alone.delete(oldest);
    return alone;
  }
}

/** Returns the number of the bundle that a row points to; undefined for one that holds a value. Pure. */
export function bundleIn(data: Uint8Array, start = 0, end = data.length): number | undefined {
  if (end - start !== pointerSize || data[start] !== pointerMark) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).readUIntBE(start + 1, pointerSize - 1);
}

function pointerTo(number: number): Buffer {
  const pointer = Buffer.alloc(pointerSize, pointerMark);
  pointer.writeUIntBE(number, 1, pointerSize - 1);
  return pointer;
}

/** Damage is for the one who reads it: it does not keep others from writing and deleting. */
function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (CheckpointError.isInstance(error) && error.code === "corrupt") return undefined;
    throw error;
  }
}
