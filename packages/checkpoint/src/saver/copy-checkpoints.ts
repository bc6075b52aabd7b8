import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../checkpoint-error.js";
import { reachAll, rootsOf, treesOf, tuplesOf } from "../collection/reach.js";
import type { EncodedWrite, Engine, NewWrites, StoredTuple } from "../engine.js";

const blobsPerCommit = 256;

/**
 * Copies a thread's checkpoints and writes in their stored form, blobs first. Throws a CheckpointError "not-found" when
 * there is nothing to copy, "conflict" when the target exists.
 */
export async function copyCheckpoints(engine: Engine, from: string, to: string): Promise<void> {
  const tuples = await tuplesOf(engine, from);
  if (tuples.length === 0)
    throw new CheckpointError("not-found", `There is no thread ${JSON.stringify(from)} to copy.`);
  for await (const tuple of engine.list({ threadId: to, limit: 1 })) {
    throw new CheckpointError(
      "conflict",
      `The thread ${JSON.stringify(tuple.threadId)} exists already. Copy to another id.`,
    );
  }
  await copyBlobs(engine, tuples, to);
  for (const { namespace, id, parentId, checkpoint, metadata, writes } of tuples.toReversed()) {
    const key = { threadId: to, namespace, id };
    const newVersions = Object.fromEntries(
      Object.entries(checkpoint.channel_versions).filter(([channel]) =>
        Object.hasOwn(checkpoint.channel_values, channel),
      ),
    );
    const copy = { ...key, parentId, checkpoint, metadata, newVersions };
    await engine.commit({ threadId: to, epoch: undefined, blobs: new Map(), checkpoint: copy });
    for (const task of byTask(writes)) {
      await engine.commit({ threadId: to, epoch: undefined, blobs: new Map(), writes: { ...key, ...task } });
    }
  }
}

async function copyBlobs(engine: Engine, tuples: readonly StoredTuple[], to: string): Promise<void> {
  const from = tuples[0]?.threadId ?? "";
  const digests = [...(await reachAll(rootsOf(tuples), treesOf(engine, from))).blobs];
  for (let start = 0; start < digests.length; start += blobsPerCommit) {
    const blobs = await engine.blobs(from, digests.slice(start, start + blobsPerCommit));
    await engine.commit({ threadId: to, epoch: undefined, blobs });
  }
}

/** Returns the writes of a checkpoint as those of its tasks. Pure. */
export function byTask(writes: StoredTuple["writes"]): Pick<NewWrites, "taskId" | "taskPath" | "writes">[] {
  const tasks = new Map<string, { taskId: string; taskPath: string; writes: EncodedWrite[] }>();
  for (const { taskId, taskPath, channel, value } of writes) {
    const task = tasks.get(taskId) ?? { taskId, taskPath, writes: [] };
    const index = WRITES_IDX_MAP[channel] ?? task.writes.filter((write) => write.index >= 0).length;
    task.writes.push({ index, channel, value });
    tasks.set(taskId, task);
  }
  return [...tasks.values()];
}
