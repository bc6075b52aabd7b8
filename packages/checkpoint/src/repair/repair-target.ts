import type { FileDriver } from "@palimpsest/vfs";
import { CheckpointError } from "../checkpoint-error.js";
import { mergeTask, packTask, unpackTask, type TaskRow } from "../engines/packed-rows.js";
import type { CheckpointKey, Engine, NewWrites } from "../engine.js";

/** The writes of one task. */
export type TaskCopy = Pick<NewWrites, "taskId" | "taskPath" | "writes">;

/** A storage that is repaired: its engine and driver, and methods that replace damaged rows. */
export interface RepairTarget {
  readonly engine: Engine;
  readonly driver: FileDriver;
  /** Builds indexes anew from their rows. */
  rebuildIndexes(): void;
  /** Yields what can be read of damaged rows with several values; some of these values were never stored. */
  salvage(): AsyncIterable<Uint8Array>;
  /** Stores a value whose row is damaged or missing, for the threads that need it. */
  restoreValue(threadIds: Iterable<string>, digest: string, packed: Uint8Array): Promise<void>;
  /** Deletes a file, even if its entry is damaged. */
  deleteFile(path: string): Promise<void>;
  /**
   * Writes the damaged or missing rows of a checkpoint's tasks. Intact ones stay. Writes nothing if one stays lost. Returns how
   * many it wrote.
   */
  restoreWrites(key: CheckpointKey, copies: readonly TaskCopy[]): Promise<number>;
}

/** Returns the rows to write for a checkpoint's tasks; none if a damaged one has no copy. Pure. */
export function tasksToRestore(
  rows: readonly TaskRow[],
  copies: readonly TaskCopy[],
  key: CheckpointKey,
): readonly TaskRow[] {
  const intact = new Set(rows.filter((row) => isIntact(row, key)).map(({ taskId }) => taskId));
  const missing = copies.filter(({ taskId }) => !intact.has(taskId));
  const damaged = rows.filter(({ taskId }) => !intact.has(taskId));
  if (damaged.some((row) => !missing.some(({ taskId }) => taskId === row.taskId))) return [];
  return missing.map(({ taskId, taskPath, writes }) => {
    const task = mergeTask({ path: taskPath, writes: [] }, writes);
    return { taskId, data: packTask(task, { ...key, taskId }) };
  });
}

function isIntact({ taskId, data }: TaskRow, key: CheckpointKey): boolean {
  try {
    unpackTask(data, { ...key, taskId });
    return true;
  } catch (error) {
    if (!CheckpointError.isInstance(error)) throw error;
    return false;
  }
}
