import { compareWritesSortKeys } from "@langchain/langgraph-checkpoint";
import type { Node } from "../codec/node.js";
import { pack, unpack } from "../codec/packing/pack.js";
import type { EncodedCheckpoint, EncodedWrite, NewCheckpoint, StoredTuple, StoredWrite } from "../engine.js";

type PackedCheckpoint = [Omit<EncodedCheckpoint, "id">, Record<string, Node>];
type PackedWrite = readonly [index: number, channel: string, value: Node];

/** The writes of one task, in the order of their indexes. */
export interface TaskWrites {
  readonly path: string;
  readonly writes: readonly PackedWrite[];
}

/** The row of a task's writes. */
export interface TaskRow {
  readonly taskId: string;
  readonly data: Uint8Array;
}

/** Returns a checkpoint and its metadata as the bytes of a row. The id is not in it: it is the row's key. Pure. */
export function packCheckpoint({
  checkpoint,
  metadata,
}: Pick<NewCheckpoint, "checkpoint" | "metadata">): Buffer {
  const { id: _, ...rest } = checkpoint;
  return packJson([rest, metadata]);
}

/** The inverse of `packCheckpoint`. Throws a CheckpointError "corrupt". Pure. */
export function unpackCheckpoint(
  data: Uint8Array,
  id: string,
): Pick<StoredTuple, "id" | "checkpoint" | "metadata"> {
  const [rest, metadata] = unpackJson(data) as PackedCheckpoint;
  return { id, checkpoint: { ...rest, id }, metadata };
}

/** Returns a task's writes as the bytes of a row. Pure. */
export function packTask({ path, writes }: TaskWrites): Buffer {
  return packJson([path, writes]);
}

/** The inverse of `packTask`. Throws a CheckpointError "corrupt". Pure. */
export function unpackTask(data: Uint8Array): TaskWrites {
  const [path, writes] = unpackJson(data) as [string, PackedWrite[]];
  return { path, writes };
}

/**
 * Returns a task's writes with new ones added. A task that runs twice keeps its first writes; those with an index below
 * zero (errors, interrupts and the like) are replaced. Pure.
 */
export function mergeTask({ path, writes }: TaskWrites, added: readonly EncodedWrite[]): TaskWrites {
  const merged = new Map(writes.map((write) => [write[0], write]));
  for (const { index, channel, value } of added) {
    if (index < 0 || !merged.has(index)) merged.set(index, [index, channel, value]);
  }
  return { path, writes: [...merged.values()].sort(([a], [b]) => a - b) };
}

/** Returns the writes of a checkpoint's tasks in the order in which LangGraph applies them. Pure. */
export function storedWrites(rows: readonly TaskRow[]): StoredWrite[] {
  const tasks = rows.map(({ taskId, data }) => ({ taskId, ...unpackTask(data) }));
  tasks.sort((a, b) => compareWritesSortKeys([a.path, a.taskId, 0], [b.path, b.taskId, 0]));
  return tasks.flatMap(({ taskId, path, writes }) =>
    writes.map(([, channel, value]) => ({ taskId, taskPath: path, channel, value })),
  );
}

function packJson(value: unknown): Buffer {
  return pack(Buffer.from(JSON.stringify(value)));
}

function unpackJson(data: Uint8Array): unknown {
  return JSON.parse(unpack(data).toString());
}
