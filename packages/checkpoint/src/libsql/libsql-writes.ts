import { compareWritesSortKeys } from "@langchain/langgraph-checkpoint";
import { pack, unpack } from "../codec/pack.js";
import type { EncodedWrite, NewWrites, StoredWrite } from "../engine/engine.js";
import type { Node } from "../codec/node.js";
import { bytesOf } from "./bytes-of.js";
import { textOf } from "./text-of.js";
import type { LibsqlDatabase, Row } from "./libsql-database.js";
import { fromKey, toKey } from "./key.js";

type PackedWrite = [index: number, channel: string, value: Node];

/** The writes of tasks, one row for each task. */
export class LibsqlWrites {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  add(space: number, { id, taskId, taskPath, writes }: NewWrites): void {
    const keys = [space, toKey(id), taskPath, toKey(taskId)] as const;
    const there = this.#database.get(
      "SELECT data FROM writes WHERE space = ? AND id = ? AND path = ? AND task = ?",
      ...keys,
    );
    const merged = mergeWrites(there ? writesIn(there) : [], writes);
    const data = pack(Buffer.from(JSON.stringify(merged)));
    this.#database.run(
      "INSERT OR REPLACE INTO writes (space, id, path, task, data) VALUES (?, ?, ?, ?, ?)",
      ...keys,
      data,
    );
  }

  /** The writes for a checkpoint, in the order in which the host applies them. */
  of(space: number, id: string): StoredWrite[] {
    const rows = this.#database.all(
      "SELECT path, task, data FROM writes WHERE space = ? AND id = ?",
      space,
      toKey(id),
    );
    const tasks = rows.map((row) => ({ path: textOf(row["path"]), taskId: fromKey(row["task"]), row }));
    tasks.sort((a, b) => compareWritesSortKeys([a.path, a.taskId, 0], [b.path, b.taskId, 0]));
    return tasks.flatMap(({ path: taskPath, taskId, row }) =>
      writesIn(row).map(([, channel, value]) => ({ taskId, taskPath, channel, value })),
    );
  }
}

function writesIn(row: Row): PackedWrite[] {
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
