import type { SqliteRow } from "@palimpsest/sql";
import { isEarlier } from "../../codec/uuid.js";
import { CheckpointError } from "../../checkpoint-error.js";
import { damagedPart, packCheckpoint, storedWrites, unpackCheckpoint, type TaskRow } from "../packed-rows.js";
import type {
  CheckpointKey,
  ListQuery,
  NewCheckpoint,
  OnDamage,
  StoredTuple,
  StoredWrite,
} from "../../engine.js";
import { columns, rowAt, rowsAt, rowsOf } from "./checkpoint-rows.js";
import { bytesOf, fromKey, idOf, keyColumn, toKey } from "./columns.js";
import {
  countCheckpoints,
  damagedIndex,
  missingCheckpoints,
  requireMissing,
  type Counted,
} from "./check-checkpoints.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import type { SpaceRow } from "./libsql-threads.js";
import { LibsqlWrites } from "./libsql-writes.js";

/** Number of checkpoints that are read at once if damage is expected. */
const intactPageSize = 256;

/**
 * The checkpoints of namespaces. Each row has a checksum of its keys and bytes, and the row of the namespace has the number of
 * checkpoints and the id of the newest, so that a row that a damaged index no longer finds is noticed.
 */
export class LibsqlCheckpoints {
  readonly #database: LibsqlDatabase;
  readonly #writes: LibsqlWrites;
  /** Namespaces whose rows were all checked. */
  readonly #checked = new Set<number>();

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.#writes = new LibsqlWrites(database);
  }

  add(space: number, checkpoint: NewCheckpoint): void {
    const id = toKey(checkpoint.id);
    const parent = checkpoint.parentId === undefined ? null : toKey(checkpoint.parentId);
    const data = packCheckpoint(checkpoint);
    const insert = `INSERT INTO checkpoints (space, id, parent, data, tasks)
      VALUES (?, ?, ?, ?, (SELECT count(*) FROM writes WHERE space = ? AND id = ?)) ON CONFLICT DO NOTHING`;
    if (this.#database.run(insert, space, id, parent, data, space, id).changes === 0) {
      this.replace(space, checkpoint);
      return;
    }
    const { threadId, namespace } = checkpoint;
    this.#database.run(
      `UPDATE spaces SET
         newest = max(coalesce(newest, ?), ?), checkpoints = checkpoints + 1 WHERE thread = ? AND name = ?`,
      id,
      id,
      threadId,
      namespace,
    );
  }

  /** Puts a checkpoint in the place of the stored one with its id, if there is one. */
  replace(space: number, checkpoint: NewCheckpoint): void {
    const parent = checkpoint.parentId === undefined ? null : toKey(checkpoint.parentId);
    const sql = "UPDATE checkpoints SET parent = ?, data = ? WHERE space = ? AND id = ?";
    this.#database.run(sql, parent, packCheckpoint(checkpoint), space, toKey(checkpoint.id));
  }

  /** Returns the newest checkpoint of a namespace. */
  newest(space: SpaceRow): StoredTuple | undefined {
    const sql = `SELECT ${columns} FROM checkpoints WHERE space = ? ORDER BY checkpoints.id DESC LIMIT 1`;
    const row = this.#database.get(sql, space.id);
    if (space.newest !== null && (!row || fromKey(row["id"]) !== space.newest))
      throw damagedPart(`The newest checkpoint ${space.newest}`, space.threadId);
    return row && this.#tuple(row, space);
  }

  find(space: SpaceRow, id: string): StoredTuple | undefined {
    const sql = `SELECT ${columns} FROM checkpoints WHERE space = ? AND id = ?`;
    const row = this.#database.get(sql, space.id, toKey(id));
    if (row && fromKey(row["id"]) !== id) throw damagedIndex(space);
    if (row) return this.#tuple(row, space);
    this.#checkAll(space);
    requireMissing(this.#database, space, id);
    return undefined;
  }

  /** Yields the checkpoints of one namespace, newest first. */
  *list(
    space: SpaceRow,
    { id, before, withoutWrites = false }: Pick<ListQuery, "id" | "before" | "withoutWrites"> = {},
  ): Iterable<StoredTuple> {
    const counted = this.#checkNumber(space);
    let listed = 0;
    if (id === undefined) {
      for (const row of rowsOf(this.#database, space, before)) {
        listed += 1;
        const tuple = withoutWrites
          ? { ...this.#withoutWrites(row, space), writes: [] }
          : this.#tuple(row, space);
        if (tuple) yield tuple;
      }
      // A damaged index can end the list early although it counts every row, and so can a collection by another process.
      if (
        before === undefined &&
        listed < (counted.expected ?? 0) &&
        countCheckpoints(this.#database, space).epoch === counted.epoch
      )
        throw missingCheckpoints(space, { found: listed, expected: counted.expected });
    }
    const exact =
      id === undefined || (before !== undefined && !isEarlier(id, before)) ? undefined : this.find(space, id);
    if (exact) yield exact;
  }

  /**
   * Yields the readable checkpoints of one namespace, newest first, and reports the others. Reads many rows at once, or row by
   * row if that fails, so that a damaged page of the file affects only its own rows. A checkpoint whose writes are damaged is
   * yielded without them.
   */
  *listIntact(space: SpaceRow, onDamage: OnDamage): Iterable<StoredTuple> {
    const { threadId } = space;
    const attempt = <T>(work: () => T, id?: string): T | undefined => {
      try {
        return work();
      } catch (error) {
        if (!CheckpointError.isInstance(error) || error.code !== "corrupt") throw error;
        onDamage({ threadId, ...(id === undefined ? {} : { id }), error });
        return undefined;
      }
    };
    // Both columns are in the index: this reads no row.
    const sql = `SELECT seq, ${keyColumn("id")} FROM checkpoints WHERE space = ? ORDER BY checkpoints.id DESC`;
    const read = attempt(() =>
      this.#database.read(() => ({
        keys: this.#database.all(sql, space.id),
        counted: countCheckpoints(this.#database, space),
      })),
    );
    const keys = read?.keys ?? [];
    for (let at = 0; at < keys.length; at += intactPageSize) {
      const page = keys.slice(at, at + intactPageSize);
      const rows = rowsAt(
        this.#database,
        page.map(({ seq }) => Number(seq)),
      );
      const tasks = this.#writes.between(space.id, page.at(-1)?.["id"], page[0]?.["id"]);
      for (const key of page) {
        const id = fromKey(key["id"]) ?? "";
        const row = rows.get(Number(key["seq"])) ?? attempt(() => rowAt(this.#database, key, space), id);
        const tuple = row && attempt(() => this.#withoutWrites(row, space), id);
        if (!row || !tuple) continue;
        const written = tasks.get(id);
        yield { ...tuple, writes: attempt(() => this.#writesOf(row, tuple, { space, written }), id) ?? [] };
      }
    }
    const expected = read ? read.counted.expected : space.checkpoints;
    if (keys.length < (expected ?? 0))
      onDamage({ threadId, error: missingCheckpoints(space, { found: keys.length, expected }) });
  }

  /** Deletes a checkpoint and its writes. Call `recount` afterwards. */
  delete(space: number, id: string): void {
    this.#database.run("DELETE FROM checkpoints WHERE space = ? AND id = ?", space, toKey(id));
    this.#database.run("DELETE FROM writes WHERE space = ? AND id = ?", space, toKey(id));
  }

  /** Counts the checkpoints of a namespace after deletions. */
  recount({ id, threadId, namespace }: SpaceRow): void {
    this.#database.run(
      `UPDATE spaces SET newest = (SELECT max(id) FROM checkpoints WHERE space = ?),
         checkpoints = (SELECT count(*) FROM checkpoints WHERE space = ?) WHERE thread = ? AND name = ?`,
      id,
      id,
      threadId,
      namespace,
    );
  }

  /** Checks every row of a namespace, once: an id that was not found may be a row whose key is damaged. */
  #checkAll(space: SpaceRow): void {
    if (this.#checked.has(space.id)) return;
    this.#checkNumber(space);
    for (const row of rowsOf(this.#database, space)) this.#tuple(row, space);
    this.#checked.add(space.id);
  }

  #checkNumber(space: SpaceRow): Counted {
    const counted = countCheckpoints(this.#database, space);
    if (counted.found < (counted.expected ?? 0)) throw missingCheckpoints(space, counted);
    return counted;
  }

  /** Returns undefined when the checkpoint was deleted since its row was read. */
  #tuple(row: SqliteRow, space: SpaceRow): StoredTuple | undefined {
    const tuple = this.#withoutWrites(row, space);
    const writes = this.#writesOf(row, tuple, { space });
    return writes && { ...tuple, writes };
  }

  #withoutWrites(row: SqliteRow, { threadId, namespace }: SpaceRow): Omit<StoredTuple, "writes"> {
    const key = { threadId, namespace, id: idOf(row["id"]) };
    const parentId = fromKey(row["parent"]) ?? undefined;
    return unpackCheckpoint({ ...key, parentId, data: bytesOf(row["data"]) });
  }

  #writesOf(
    row: SqliteRow,
    { threadId, namespace, id }: CheckpointKey,
    { space, written }: { readonly space: SpaceRow; readonly written?: readonly TaskRow[] | undefined },
  ): readonly StoredWrite[] | undefined {
    const tasks = Number(row["tasks"]);
    const key = { threadId, namespace, id };
    if (written !== undefined && written.length === tasks) return storedWrites(written, key);
    return this.#writes.of(space.id, key, tasks);
  }
}
