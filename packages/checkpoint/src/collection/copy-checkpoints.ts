import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../checkpoint-error.js";
import { present } from "./load-blobs.js";
import { despiteCollections, reachAll, rootsOf, treesOf, tuplesOf } from "./reach.js";
import { keyInThread } from "../engine.js";
import type { Batch, EncodedWrite, Engine, NewWrites, StoredTuple } from "../engine.js";

const blobsPerCommit = 256;

/** The methods of an engine that a copy uses. */
export type Copying = Pick<Engine, "commit" | "list" | "blobs" | "open">;

/** Throws a CheckpointError "conflict" for a thread that has a checkpoint. */
export async function checkFree(engine: Engine, threadId: string): Promise<void> {
  for await (const _ of engine.list({ threadId, limit: 1 }))
    throw new CheckpointError(
      "conflict",
      `The thread ${JSON.stringify(threadId)} exists already. Copy to another id.`,
    );
}

/**
 * Copies a thread's checkpoints and writes in their stored form, blobs first, and calls `copyFiles` before the first
 * checkpoint. Safe to repeat. Throws a CheckpointError "not-found" when there is nothing to copy, "conflict" when the target or
 * all that is copied is collected meanwhile, "corrupt" or "missing-blob" when a part cannot be read.
 */
export async function copyCheckpoints(
  engine: Copying,
  { from, to }: { readonly from: string; readonly to: string },
  copyFiles: () => Promise<void>,
): Promise<void> {
  const target = new Target(engine, to);
  const tuples = await despiteCollections(async () => copyBlobs(engine, from, target));
  // What these checkpoints need is stored by now, and copied before them.
  await copyFiles();
  await checkStillThere(engine, { from, to }, tuples);
  for (const { namespace, id, parentId, checkpoint, metadata, writes } of tuples.toReversed()) {
    const key = { threadId: to, namespace, id };
    const newVersions = Object.fromEntries(
      Object.entries(checkpoint.channel_versions).filter(([channel]) =>
        Object.hasOwn(checkpoint.channel_values, channel),
      ),
    );
    await target.commit({ checkpoint: { ...key, parentId, checkpoint, metadata, newVersions } });
    for (const task of byTask(writes)) await target.commit({ writes: { ...key, ...task } });
  }
}

/** Copies the values of a thread, and returns the checkpoints that reach them. */
async function copyBlobs(engine: Copying, from: string, target: Target): Promise<readonly StoredTuple[]> {
  const tuples = await tuplesOf(engine, from);
  if (tuples.length === 0)
    throw new CheckpointError("not-found", `There is no thread ${JSON.stringify(from)} to copy.`);
  const digests = [...(await reachAll(rootsOf(tuples), treesOf(engine, from))).blobs];
  for (let start = 0; start < digests.length; start += blobsPerCommit) {
    const some = digests.slice(start, start + blobsPerCommit);
    const stored = await engine.blobs(from, some);
    await target.commit({
      blobs: new Map(some.map((digest) => [digest, present(digest, stored.get(digest))])),
    });
  }
  return tuples;
}

/**
 * Call it when the files are copied, and before the first checkpoint is: a deletion of the thread deletes its checkpoints before
 * its archive and its files, so these are whole if a checkpoint that needs them is still there. Throws a CheckpointError
 * "not-found" for a deleted thread, "conflict" for one of which others are there.
 */
async function checkStillThere(
  engine: Copying,
  { from, to }: { readonly from: string; readonly to: string },
  copied: readonly StoredTuple[],
): Promise<void> {
  const ids = new Set(copied.map(keyInThread));
  let isEmpty = true;
  for await (const { namespace, id } of engine.list({ threadId: from, withoutWrites: true })) {
    if (ids.has(keyInThread({ namespace, id }))) return;
    isEmpty = false;
  }
  const [source, target] = [JSON.stringify(from), JSON.stringify(to)];
  if (isEmpty)
    throw new CheckpointError(
      "not-found",
      `The thread ${source} was deleted while it was copied: ${target} has none of its checkpoints.`,
    );
  throw new CheckpointError(
    "conflict",
    `The thread ${source} was pruned, or deleted and begun again, while it was copied to ${target}. Copy again.`,
  );
}

/** The target of a copy. A concurrent collection would delete values whose checkpoint is not copied yet, so it ends the copy. */
class Target {
  readonly #engine: Copying;
  readonly #threadId: string;
  #epoch: string | undefined;

  constructor(engine: Copying, threadId: string) {
    this.#engine = engine;
    this.#threadId = threadId;
  }

  async commit(part: Partial<Batch>): Promise<void> {
    const batch = { threadId: this.#threadId, epoch: this.#epoch, blobs: new Map(), ...part };
    const { stored, epoch } = await this.#engine.commit(batch);
    this.#epoch = epoch;
    if (stored) return;
    throw new CheckpointError(
      "conflict",
      `The thread ${JSON.stringify(this.#threadId)} was pruned or deleted while it was copied to. Delete it, and copy again.`,
    );
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
