import { compareWritesSortKeys } from "@langchain/langgraph-checkpoint";
import { pack, unpack } from "../../codec/packing/pack.js";
import type { EncodedWrite, NewWrites, StoredWrite } from "../engine.js";
import type { Node } from "../../codec/node.js";
import { bytesOf, fromKey, toKey } from "./columns.js";
import type { LibsqlDatabase, Row } from "./libsql-database.js";

type PackedWrite = [index: number, channel: string, value: Node];
type PackedTask = [path: string, writes: PackedWrite[]];

/** The writes of tasks, one row for each task. */
export class LibsqlWrites {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  add(space: number, { id, taskId, taskPath, writes }: NewWrites): void {
    const keys = [space, toKey(id), toKey(taskId)] as const;
    const insert = "INSERT INTO writes (space, id, task, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
    if (this.#database.run(insert, ...keys, packTask([taskPath, mergeWrites([], writes)])).changes === 1)
      return;
    const earlier = "SELECT task, data FROM writes WHERE space = ? AND id = ? AND task = ?";
    const row = this.#database.get(earlier, ...keys);
    const [path, there] = row ? taskIn(row) : [taskPath, []];
    const replace = "INSERT OR REPLACE INTO writes (space, id, task, data) VALUES (?, ?, ?, ?)";
    this.#database.run(replace, ...keys, packTask([path, mergeWrites(there, writes)]));
  }

  /** The writes for a checkpoint, in the order in which the host applies them. */
  of(space: number, id: string): StoredWrite[] {
    const rows = this.#database.all(
      "SELECT task, data FROM writes WHERE space = ? AND id = ?",
      space,
      toKey(id),
    );
    const tasks = rows.map((row) => {
      const [taskPath, writes] = taskIn(row);
      return { taskPath, taskId: fromKey(row["task"]), writes };
    });
    tasks.sort((a, b) => compareWritesSortKeys([a.taskPath, a.taskId, 0], [b.taskPath, b.taskId, 0]));
    return tasks.flatMap(({ taskPath, taskId, writes }) =>
      writes.map(([, channel, value]) => ({ taskId, taskPath, channel, value })),
    );
  }
}

function packTask(task: PackedTask): Buffer {
  return pack(Buffer.from(JSON.stringify(task)));
}

function taskIn(row: Row): PackedTask {
  return JSON.parse(unpack(bytesOf(row["data"])).toString());
}

/** A task run twice keeps its first writes; errors, interrupts and the like (below zero) are replaced. Pure. */
function mergeWrites(there: readonly PackedWrite[], writes: readonly EncodedWrite[]): PackedWrite[] {
  const merged = new Map(there.map((write) => [write[0], write]));
  for (const { index, channel, value } of writes) {
    if (index < 0 || !merged.has(index)) merged.set(index, [index, channel, value]);
  }
  return [...merged.values()].sort(([a], [b]) => a - b);
}
