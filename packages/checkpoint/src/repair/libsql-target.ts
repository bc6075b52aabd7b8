import { FileError } from "@palimpsest/vfs";
import { LibsqlDriver } from "../drivers/libsql-driver.js";
import type { CheckpointKey } from "../engine.js";
import { blobColumn, bytesOf, idOf, keyColumn, toKey } from "../engines/libsql/columns.js";
import { LibsqlBlobs } from "../engines/libsql/libsql-blobs.js";
import type { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { LibsqlEngine } from "../engines/libsql/libsql-engine.js";
import { LibsqlThreads } from "../engines/libsql/libsql-threads.js";
import { tasksToRestore, type RepairTarget, type TaskCopy } from "./repair-target.js";
import { salvageBundles } from "./salvage-bundles.js";

/** A SQLite file that is repaired. */
export class LibsqlTarget implements RepairTarget {
  readonly engine: LibsqlEngine;
  readonly driver: LibsqlDriver;
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.engine = new LibsqlEngine(database);
    this.driver = new LibsqlDriver(database);
  }

  rebuildIndexes(): void {
    this.#database.rebuildIndexes();
  }

  salvage(): AsyncIterable<Uint8Array> {
    return salvageBundles(this.#database);
  }

  async restoreValue(threadIds: Iterable<string>, digest: string, packed: Uint8Array): Promise<void> {
    const threads = new LibsqlThreads(this.#database);
    this.#database.write(() => {
      const owners = [...threadIds].flatMap((name) => threads.find(name)?.id ?? []);
      new LibsqlBlobs(this.#database).restore(owners, digest, packed);
    });
  }

  async deleteFile(path: string): Promise<void> {
    try {
      await this.driver.delete(path);
    } catch (error) {
      if (!FileError.isInstance(error)) throw error;
      // A damaged entry does not say which chunks belong to it, so they stay.
      this.#database.run("DELETE FROM files WHERE path = ?", path);
    }
  }

  async restoreWrites(key: CheckpointKey, copies: readonly TaskCopy[]): Promise<number> {
    const space = new LibsqlThreads(this.#database).find(key.threadId, key.namespace);
    if (!space) return 0;
    const place = [space.id, toKey(key.id)] as const;
    return this.#database.write(() => {
      const columns = `${keyColumn("task")}, ${blobColumn("data")}`;
      const stored = this.#database
        .all(`SELECT ${columns} FROM writes WHERE space = ? AND id = ?`, ...place)
        .map((row) => ({ taskId: idOf(row["task"]), data: bytesOf(row["data"]) }));
      const rows = tasksToRestore(stored, copies, key);
      const all = new Set([...stored, ...rows].map(({ taskId }) => taskId));
      const sql = "SELECT tasks FROM checkpoints WHERE space = ? AND id = ?";
      // The row of the checkpoint counts its tasks.
      if (all.size !== Number(this.#database.get(sql, ...place)?.["tasks"] ?? all.size)) return 0;
      for (const { taskId, data } of rows) {
        const write = "INSERT OR REPLACE INTO writes (space, id, task, data) VALUES (?, ?, ?, ?)";
        this.#database.run(write, ...place, toKey(taskId), data);
      }
      return rows.length;
    });
  }
}
