import type { CheckpointEntry, VfsSaver } from "@palimpsest/checkpoint";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Checkpoints between two turns of the event loop. */
const entriesAtOnce = 128;

const reading = new WeakMap<VfsSaver, Map<string, Promise<readonly CheckpointEntry[]>>>();

/**
 * Returns the checkpoints of a thread, newest first in each namespace. Calls at the same time share one read: the page asks for the
 * size, the lanes and the branches of a thread at once.
 */
export async function checkpointsOf(saver: VfsSaver, threadId: string): Promise<readonly CheckpointEntry[]> {
  const running = reading.get(saver) ?? new Map<string, Promise<readonly CheckpointEntry[]>>();
  reading.set(saver, running);
  const known = running.get(threadId) ?? list(saver, threadId).finally(() => running.delete(threadId));
  running.set(threadId, known);
  return known;
}

async function list(saver: VfsSaver, threadId: string): Promise<readonly CheckpointEntry[]> {
  const entries: CheckpointEntry[] = [];
  for await (const entry of saver.checkpoints(threadId)) {
    // A SQLite file is read without waiting: nobody else would be answered before the end.
    if (entries.length % entriesAtOnce === 0) await nextTurn();
    entries.push(entry);
  }
  return entries;
}
