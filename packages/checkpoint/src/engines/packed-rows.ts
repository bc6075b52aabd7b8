import { compareWritesSortKeys } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../checkpoint-error.js";
import type { Node } from "../codec/node.js";
import { pack, unpack } from "../codec/packing/pack.js";
import { checksummed, verified } from "../codec/packing/checksum.js";
import type { Place } from "../codec/packing/checksum.js";
import type {
  CheckpointKey,
  EncodedCheckpoint,
  EncodedWrite,
  NewCheckpoint,
  StoredTuple,
  StoredWrite,
} from "../engine.js";

type PackedCheckpoint = [Omit<EncodedCheckpoint, "id">, Record<string, Node>];
type PackedWrite = readonly [index: number, channel: string, value: Node];

/** The writes of one task, in the order of their indexes. */
export interface TaskWrites {
  readonly path: string;
  readonly writes: readonly PackedWrite[];
}

/** The key of a task's writes. */
export interface TaskKey extends CheckpointKey {
  readonly taskId: string;
}

/** The row of a task's writes. */
export interface TaskRow {
  readonly taskId: string;
  readonly data: Uint8Array;
}

/** The row of a checkpoint. */
export interface CheckpointRow extends CheckpointKey {
  readonly parentId: string | undefined;
  readonly data: Uint8Array;
}

/**
 * Returns a checkpoint and its metadata, without the id, which is a key, as the bytes of a row, with a checksum of the bytes
 * and of the row's keys. Pure.
 */
export function packCheckpoint({ checkpoint, metadata, ...key }: NewCheckpoint): Buffer {
  const { id: _, ...rest } = checkpoint;
  return checksummed(packJson([rest, metadata]), checkpointPlace(key));
}

/** The inverse of `packCheckpoint`. Throws a CheckpointError "corrupt" that names the checkpoint. Pure. */
export function unpackCheckpoint({ data, ...key }: CheckpointRow): Omit<StoredTuple, "writes"> {
  const { threadId, namespace, id, parentId } = key;
  const what = `The checkpoint ${id}`;
  const [rest, metadata] = unpackJson(data, {
    place: checkpointPlace(key),
    what,
    threadId,
  }) as PackedCheckpoint;
  return { threadId, namespace, id, parentId, checkpoint: { ...rest, id }, metadata };
}

/** Returns a task's writes as the bytes of a row, with a checksum of the bytes and of the row's keys. Pure. */
export function packTask({ path, writes }: TaskWrites, key: TaskKey): Buffer {
  return checksummed(packJson([path, writes]), taskPlace(key));
}

/** The inverse of `packTask`. Throws a CheckpointError "corrupt" that names the task. Pure. */
export function unpackTask(data: Uint8Array, key: TaskKey): TaskWrites {
  const { threadId, id, taskId } = key;
  const what = `The row of the task ${taskId} at the checkpoint ${id}`;
  const [path, writes] = unpackJson(data, { place: taskPlace(key), what, threadId }) as [
    string,
    PackedWrite[],
  ];
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
export function storedWrites(rows: readonly TaskRow[], key: CheckpointKey): StoredWrite[] {
  const { threadId, namespace, id } = key;
  const tasks = rows.map(({ taskId, data }) => ({
    taskId,
    ...unpackTask(data, { threadId, namespace, id, taskId }),
  }));
  tasks.sort((a, b) => compareWritesSortKeys([a.path, a.taskId, 0], [b.path, b.taskId, 0]));
  return tasks.flatMap(({ taskId, path, writes }) =>
    writes.map(([, channel, value]) => ({ taskId, taskPath: path, channel, value })),
  );
}

/** Returns the error for a damaged part of a thread. Pure. */
export function damagedPart(what: string, threadId: string, cause?: unknown): CheckpointError {
  return new CheckpointError(
    "corrupt",
    `${what} of the thread ${JSON.stringify(threadId)} is damaged or missing. Restore the database from a copy.`,
    { cause },
  );
}

function checkpointPlace({ threadId, namespace, id, parentId }: Omit<CheckpointRow, "data">): Place {
  return [threadId, namespace, id, parentId ?? null];
}

function taskPlace({ threadId, namespace, id, taskId }: TaskKey): Place {
  return [threadId, namespace, id, "task", taskId];
}

function packJson(value: unknown): Buffer {
  return pack(Buffer.from(JSON.stringify(value)));
}

interface PackedPart {
  readonly place: Place;
  readonly what: string;
  readonly threadId: string;
}

function unpackJson(data: Uint8Array, { place, what, threadId }: PackedPart): unknown {
  try {
    return JSON.parse(unpack(verified(data, place)).toString());
  } catch (error) {
    throw damagedPart(what, threadId, error);
  }
}
