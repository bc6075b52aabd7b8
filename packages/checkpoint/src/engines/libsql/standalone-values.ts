import { LRUCache } from "lru-cache";
import { CheckpointError } from "../../checkpoint-error.js";
import { unpackedSize } from "../../codec/packing/bundle.js";
import { blobColumn, bytesOf } from "./columns.js";
import type { LibsqlDatabase } from "./libsql-database.js";

/** Longer values gain little from sharing a deflate window with others. Bytes, packed and unpacked. */
export const maxMemberBytes = 8192;

/** The size of deflate's window: a bundle gains nothing from more. */
const bundleBytes = 32_768;

/** How many of the newest values of a thread to look up when this process first writes to it. */
const maxLookedUp = 64;

const maxThreads = 256;

/** Rows of at most this many bytes are pointers into bundles. */
export const pointerSize = 7;

/** Row ids of values that wait for a bundle, and the bytes that they have unpacked. */
class BundleBuffer {
  /** A set, because SQLite reuses the id of a deleted row. */
  #ids = new Set<number>();
  #bytes = 0;

  get isFull(): boolean {
    return this.#bytes >= bundleBytes;
  }

  add(id: number, bytes: number): void {
    this.#ids.add(id);
    this.#bytes += bytes;
  }

  /** Returns the ids and empties the buffer. */
  take(): Iterable<number> {
    const ids = this.#ids;
    this.#ids = new Set();
    this.#bytes = 0;
    return ids;
  }
}

/** A thread's values that are not bundled yet. */
export interface StandaloneValues {
  readonly newest: BundleBuffer;
  /** Pages of lists that a full `newest` left over: pages get bundles of their own. */
  readonly pages: BundleBuffer;
}

/** The buffers of the threads that this process wrote to recently. */
export class StandaloneCache {
  readonly #database: LibsqlDatabase;
  readonly #threads = new LRUCache<number, StandaloneValues>({ max: maxThreads });

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  /** Returns a thread's buffers. Starts with the values before row `id` that an earlier process left unbundled. */
  of(thread: number, id: number): StandaloneValues {
    const known = this.#threads.get(thread);
    if (known) return known;
    const rows = this.#database.all(
      `SELECT id, ${blobColumn("data")} FROM owners JOIN blobs ON id = blob
       WHERE thread = ? AND blob < ? AND length(data) BETWEEN ${pointerSize + 1} AND ${maxMemberBytes}
       ORDER BY blob DESC LIMIT ${maxLookedUp}`,
      thread,
      id,
    );
    const values: StandaloneValues = { newest: new BundleBuffer(), pages: new BundleBuffer() };
    for (const row of rows.toReversed()) {
      const size = unlessDamaged(() => unpackedSize(bytesOf(row["data"])));
      if (size !== undefined && size <= maxMemberBytes) values.newest.add(Number(row["id"]), size);
    }
    this.#threads.set(thread, values);
    return values;
  }
}

/** Returns undefined for a damaged value, so that damage fails only reads of this value, and no write or deletion of others. */
export function unlessDamaged<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (CheckpointError.isInstance(error) && error.code === "corrupt") return undefined;
    throw error;
  }
}
