import type { Postgres } from "@palimpsest/sql";
import { PostgresDriver } from "../drivers/postgres-driver.js";
import type { CheckpointKey } from "../engine.js";
import { PostgresEngine } from "../engines/postgres/postgres-engine.js";
import { digestKey, fromKey, noKey, toKey } from "../engines/postgres/postgres-rows.js";
import { tasksToRestore, type RepairTarget, type TaskCopy } from "./repair-target.js";

const putSql = `
  INSERT INTO palimpsest_entries (thread, kind, namespace, id, task, data)
  SELECT threads.id, $2::"char", $3, $4, $5, $6 FROM palimpsest_threads AS threads WHERE name = $1
  ON CONFLICT (thread, kind, namespace, id, task) DO UPDATE SET data = excluded.data`;

const tasksSql = `
  SELECT task, data FROM palimpsest_threads AS threads JOIN palimpsest_entries AS stored ON thread = threads.id
  WHERE name = $1 AND kind = 'w' AND namespace = $2 AND stored.id = $3 FOR UPDATE OF stored`;

/** A Postgres database that is repaired. */
export class PostgresTarget implements RepairTarget {
  readonly engine: PostgresEngine;
  readonly driver: PostgresDriver;
  readonly #postgres: Postgres;

  constructor(postgres: Postgres) {
    this.#postgres = postgres;
    this.engine = new PostgresEngine(postgres);
    this.driver = new PostgresDriver(postgres);
  }

  /** The copy has new ones. */
  rebuildIndexes(): void {}

  /** Each row holds one value. */
  async *salvage(): AsyncGenerator<Uint8Array> {}

  async restoreValue(threadIds: Iterable<string>, digest: string, packed: Uint8Array): Promise<void> {
    for (const threadId of threadIds)
      await this.#postgres.query(putSql, [threadId, "b", "", digestKey(digest), noKey, packed]);
  }

  async deleteFile(path: string): Promise<void> {
    await this.driver.delete(path);
  }

  async restoreWrites(key: CheckpointKey, copies: readonly TaskCopy[]): Promise<number> {
    const { threadId, namespace, id } = key;
    return this.#postgres.transaction(async (client) => {
      const stored = await client.query(tasksSql, [threadId, namespace, toKey(id)]);
      const tasks = stored.rows.map(({ task, data }) => ({
        taskId: fromKey(task as Buffer),
        data: data as Buffer,
      }));
      const rows = tasksToRestore(tasks, copies, key);
      for (const { taskId, data } of rows)
        await client.query(putSql, [threadId, "w", namespace, toKey(id), toKey(taskId), data]);
      return rows.length;
    });
  }
}
