import type { SqliteRow } from "@palimpsest/sql";
import { unpackStored } from "../../codec/packing/bundle.js";
import type { Stored } from "../../codec/packing/bundle.js";
import type {
  Batch,
  BatchResult,
  CheckpointKey,
  Engine,
  ListQuery,
  PruneResult,
  StoredTuple,
} from "../../engine.js";
import { planPrune } from "../../collection/plan-prune.js";
import { reachAllSync, rootsOf } from "../../collection/reach.js";
import { bytesOf, textOf, fromKey, toKey } from "./columns.js";
import { packCheckpoint, unpackCheckpoint } from "../packed-rows.js";
import { LibsqlBlobs } from "./libsql-blobs.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import { LibsqlWrites } from "./libsql-writes.js";
import { LibsqlThreads } from "./libsql-threads.js";

const pageSize = 32;

/** Keeps checkpoints in one SQLite file. Each commit is one transaction. */
export class LibsqlEngine implements Engine {
  readonly name = "libsql";
  readonly #database: LibsqlDatabase;
  readonly #threads: LibsqlThreads;
  readonly #blobs: LibsqlBlobs;
  readonly #writes: LibsqlWrites;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.#threads = new LibsqlThreads(database);
    this.#blobs = new LibsqlBlobs(database);
    this.#writes = new LibsqlWrites(database);
  }

  async commit({ threadId, epoch, blobs, checkpoint, writes }: Batch): Promise<BatchResult> {
    return this.#database.write(() => {
      const known = this.#threads.find(threadId);
      if (epoch !== undefined && epoch !== known?.epoch) return { stored: false, epoch: known?.epoch };
      const thread = known ?? this.#threads.add(threadId);
      // The empty namespace has the id of the thread.
      const space = (name: string): number => (name === "" ? thread.id : this.#threads.space(threadId, name));
      this.#blobs.add(thread.id, blobs);
      if (checkpoint) {
        const parent = checkpoint.parentId === undefined ? null : toKey(checkpoint.parentId);
        this.#database.run(
          `INSERT INTO checkpoints (space, id, parent, data) VALUES (?, ?, ?, ?)
           ON CONFLICT (space, id) DO UPDATE SET parent = excluded.parent, data = excluded.data`,
          space(checkpoint.namespace),
          toKey(checkpoint.id),
          parent,
          packCheckpoint(checkpoint),
        );
      }
      if (writes) this.#writes.add(space(writes.namespace), writes);
      return { stored: true, epoch: thread.epoch };
    });
  }

  async read({ threadId, namespace, id }: Omit<CheckpointKey, "id"> & { readonly id?: string }): Promise<{
    tuple: StoredTuple | undefined;
    epoch: string | undefined;
  }> {
    return this.#database.read(() => {
      const thread = this.#threads.find(threadId);
      const space = thread && this.#threads.findSpace(threadId, namespace);
      if (space === undefined) return { tuple: undefined, epoch: thread?.epoch };
      const newest = "SELECT id, parent, data FROM checkpoints WHERE space = ? ORDER BY id DESC LIMIT 1";
      const exact = "SELECT id, parent, data FROM checkpoints WHERE space = ? AND id = ?";
      const row =
        id === undefined ? this.#database.get(newest, space) : this.#database.get(exact, space, toKey(id));
      return { tuple: row && this.#tuple(row, { threadId, namespace, space }), epoch: thread?.epoch };
    });
  }

  async *list({ threadId, namespace, id, before, limit = Infinity }: ListQuery): AsyncIterable<StoredTuple> {
    const spaces = this.#database.all(
      `SELECT id AS space, name AS namespace, thread FROM spaces
       WHERE thread <> '' AND (? IS NULL OR thread = ?) AND (? IS NULL OR name = ?) ORDER BY id`,
      threadId ?? null,
      threadId ?? null,
      namespace ?? null,
      namespace ?? null,
    );
    let left = limit;
    for (const row of spaces) {
      const place = {
        threadId: textOf(row["thread"]),
        namespace: textOf(row["namespace"]),
        space: Number(row["space"]),
      };
      for (const tuple of this.#page(place, { id, before })) {
        if (left-- <= 0) return;
        yield tuple;
      }
    }
  }

  async blobs(_threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Stored>> {
    return this.#database.read(() => this.#blobs.get(digests));
  }

  async deleteThread(threadId: string): Promise<void> {
    this.#database.write(() => {
      const thread = this.#threads.find(threadId);
      if (!thread) return;
      this.#threads.delete(threadId);
      this.#blobs.disown(thread.id);
    });
    this.#shrink();
  }

  async prune(threadId: string, keepLast: number): Promise<PruneResult> {
    const result = this.#database.write(() => {
      const thread = this.#threads.find(threadId);
      if (!thread) return { checkpoints: 0, blobs: 0 };
      const spaces = this.#threads.spaces(threadId);
      const tuples = spaces.flatMap(([space, namespace]) => [
        ...this.#page({ threadId, namespace, space }, { id: undefined, before: undefined }),
      ]);
      const { keep, drop } = planPrune(tuples, keepLast);
      const { blobs: reached } = reachAllSync(rootsOf(keep), (digests) => {
        const stored = this.#blobs.get(digests);
        return new Map([...stored].map(([digest, one]) => [digest, unpackStored(one)]));
      });
      for (const { namespace, id } of drop) {
        const space = this.#threads.space(threadId, namespace);
        this.#database.run("DELETE FROM checkpoints WHERE space = ? AND id = ?", space, toKey(id));
        this.#database.run("DELETE FROM writes WHERE space = ? AND id = ?", space, toKey(id));
      }
      const blobs = this.#blobs.keepOnly(thread.id, reached);
      this.#threads.nextEpoch(threadId);
      return { checkpoints: drop.length, blobs };
    });
    this.#shrink();
    return result;
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #shrink(): void {
    this.#database.exec("PRAGMA incremental_vacuum");
  }

  /** Yields the tuples of one namespace, newest first. Reads one page of rows at a time. */
  *#page(
    place: { readonly threadId: string; readonly namespace: string; readonly space: number },
    { id, before }: { readonly id: string | undefined; readonly before: string | undefined },
  ): Iterable<StoredTuple> {
    let last = before === undefined ? undefined : toKey(before);
    for (;;) {
      const rows: SqliteRow[] = this.#database.all(
        `SELECT id, parent, data FROM checkpoints
         WHERE space = ? AND (? IS NULL OR id = ?) AND (? IS NULL OR id < ?) ORDER BY id DESC LIMIT ${pageSize}`,
        place.space,
        id === undefined ? null : toKey(id),
        id === undefined ? null : toKey(id),
        last ?? null,
        last ?? null,
      );
      for (const row of rows) yield this.#tuple(row, place);
      const oldest = rows.at(-1);
      if (!oldest || rows.length < pageSize) return;
      last = toKey(fromKey(oldest["id"]));
    }
  }

  #tuple(
    row: SqliteRow,
    {
      threadId,
      namespace,
      space,
    }: { readonly threadId: string; readonly namespace: string; readonly space: number },
  ): StoredTuple {
    const id = fromKey(row["id"]);
    return {
      threadId,
      namespace,
      parentId: row["parent"] === null ? undefined : fromKey(row["parent"]),
      ...unpackCheckpoint(bytesOf(row["data"]), id),
      writes: this.#writes.of(space, id),
    };
  }
}
