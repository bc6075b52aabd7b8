import { mergeTask, packTask, storedWrites, unpackTask } from "../packed-rows.js";
import type { NewWrites, StoredWrite } from "../../engine.js";
import { bytesOf, fromKey, toKey } from "./columns.js";
import type { LibsqlDatabase } from "./libsql-database.js";

/** The writes of tasks, one row for each task. */
export class LibsqlWrites {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  add(space: number, { id, taskId, taskPath, writes }: NewWrites): void {
    const keys = [space, toKey(id), toKey(taskId)] as const;
    const first = mergeTask({ path: taskPath, writes: [] }, writes);
    const insert = "INSERT INTO writes (space, id, task, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
    if (this.#database.run(insert, ...keys, packTask(first)).changes === 1) return;
    const select = "SELECT data FROM writes WHERE space = ? AND id = ? AND task = ?";
    const stored = this.#database.get(select, ...keys);
    const merged = stored ? mergeTask(unpackTask(bytesOf(stored["data"])), writes) : first;
    const replace = "INSERT OR REPLACE INTO writes (space, id, task, data) VALUES (?, ?, ?, ?)";
    this.#database.run(replace, ...keys, packTask(merged));
  }

  /** Returns the writes for a checkpoint, in the order in which LangGraph applies them. */
  of(space: number, id: string): StoredWrite[] {
    const sql = "SELECT task, data FROM writes WHERE space = ? AND id = ?";
    const rows = this.#database.all(sql, space, toKey(id));
    return storedWrites(rows.map((row) => ({ taskId: fromKey(row["task"]), data: bytesOf(row["data"]) })));
  }
}
