import type { SqliteColumn, SqliteRow } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";
import { damagedPart, mergeTask, packTask, storedWrites, unpackTask, type TaskRow } from "../packed-rows.js";
import type { CheckpointKey, NewWrites, StoredWrite } from "../../engine.js";
import { blobColumn, bytesOf, fromKey, idOf, keyColumn, numberColumn, toKey } from "./columns.js";
import type { Node } from "../../codec/node.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import type { SpaceRow } from "./libsql-threads.js";

/** The writes of tasks, one row for each task. The row of a checkpoint counts them, so that a missing one is noticed. */
export class LibsqlWrites {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  add(space: number, added: NewWrites): void {
    const { id, taskId, taskPath, writes } = added;
    const keys = [space, toKey(id), toKey(taskId)] as const;
    const first = mergeTask({ path: taskPath, writes: [] }, writes);
    const insert = "INSERT INTO writes (space, id, task, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
    if (this.#database.run(insert, ...keys, packTask(first, added)).changes === 1) {
      const count = "UPDATE checkpoints SET tasks = tasks + 1 WHERE space = ? AND id = ?";
      this.#database.run(count, space, toKey(id));
      return;
    }
    const select = `SELECT ${blobColumn("data")} FROM writes WHERE space = ? AND id = ? AND task = ?`;
    const stored = this.#database.get(select, ...keys);
    const merged = stored ? mergeTask(unpackTask(bytesOf(stored["data"]), added), writes) : first;
    const replace = "INSERT OR REPLACE INTO writes (space, id, task, data) VALUES (?, ?, ?, ?)";
    this.#database.run(replace, ...keys, packTask(merged, added));
  }

  /** Puts writes in the place of all stored ones of their task, if there are some. */
  replace(space: number, { taskPath, writes, ...key }: NewWrites): void {
    const data = packTask(mergeTask({ path: taskPath, writes: [] }, writes), key);
    const sql = "UPDATE writes SET data = ? WHERE space = ? AND id = ? AND task = ?";
    this.#database.run(sql, data, space, toKey(key.id), toKey(key.taskId));
  }

  /** Deletes the writes whose checkpoint is not stored. */
  deleteEarly(space: number): void {
    const isStored =
      "SELECT 1 FROM checkpoints WHERE checkpoints.space = writes.space AND checkpoints.id = writes.id";
    this.#database.run(`DELETE FROM writes WHERE space = ? AND NOT EXISTS (${isStored})`, space);
  }

  /**
   * Returns the writes for a checkpoint, in the order in which LangGraph applies them. `tasks` is how many rows there must be.
   * Undefined when the checkpoint was deleted since its row was read. Throws a CheckpointError
   * "corrupt".
   */
  of(space: number, key: CheckpointKey, tasks: number): StoredWrite[] | undefined {
    const sql = `SELECT ${keyColumn("task")}, ${blobColumn("data")} FROM writes WHERE space = ? AND id = ?`;
    const rows = this.#database.all(sql, space, toKey(key.id));
    if (rows.length !== tasks) return this.#countedAnew(space, key);
    return storedWrites(rows.map(taskRow), key);
  }

  /** Reads the number and the rows in one statement, because others may write or delete between two. */
  #countedAnew(space: number, key: CheckpointKey): StoredWrite[] | undefined {
    // By no index, because a damaged one may not lead to the row.
    const rows = this.#database.all(
      `SELECT ${numberColumn("tasks")}, ${keyColumn("task")}, CAST(writes.data AS BLOB) AS data
       FROM checkpoints NOT INDEXED LEFT JOIN writes ON writes.space = ?1 AND writes.id = ?2
       WHERE checkpoints.space = ?1 AND checkpoints.id = ?2`,
      space,
      toKey(key.id),
    );
    if (rows.length === 0) return undefined;
    const written = rows.filter(({ task }) => fromKey(task) !== null);
    if (written.length === Number(rows[0]?.["tasks"])) return storedWrites(written.map(taskRow), key);
    throw damagedPart(`A row of the writes at the checkpoint ${key.id}`, key.threadId);
  }

  /**
   * Returns the values of writes whose checkpoint is not stored yet: if steps overlap, a task may end before its checkpoint is
   * written.
   */
  early({ id: space, threadId, namespace }: SpaceRow): Node[] {
    const rows = this.#database.all(
      `SELECT ${["id", "task"].map(keyColumn).join(", ")}, ${blobColumn("data")} FROM writes
       WHERE space = ? AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.space = writes.space AND checkpoints.id = writes.id)`,
      space,
    );
    return rows.flatMap((row) =>
      storedWrites([taskRow(row)], { threadId, namespace, id: idOf(row["id"]) }).map(({ value }) => value),
    );
  }

  /**
   * Returns the rows of the checkpoints from one key of `keyColumn` to another, by their ids. Empty if one is damaged: then
   * they are read one by one.
   */
  between(
    space: number,
    from: SqliteColumn | undefined,
    to: SqliteColumn | undefined,
  ): ReadonlyMap<string, readonly TaskRow[]> {
    const sql = `SELECT ${keyColumn("id")}, ${keyColumn("task")}, ${blobColumn("data")} FROM writes
      WHERE space = ? AND id >= ? AND id <= ?`;
    const found = orNoneIfDamaged(() =>
      this.#database
        .all(sql, space, toKey(idOf(from)), toKey(idOf(to)))
        .map((row) => ({ key: idOf(row["id"]), task: taskRow(row) })),
    );
    const byCheckpoint = new Map<string, TaskRow[]>();
    for (const { key, task } of found) byCheckpoint.set(key, [...(byCheckpoint.get(key) ?? []), task]);
    return byCheckpoint;
  }
}

function taskRow(row: SqliteRow): TaskRow {
  return { taskId: idOf(row["task"]), data: bytesOf(row["data"]) };
}

/** Returns the result of a read of many rows; empty if a page of the file is damaged. */
export function orNoneIfDamaged<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (CheckpointError.isInstance(error) && error.code === "corrupt") return [];
    throw error;
  }
}
