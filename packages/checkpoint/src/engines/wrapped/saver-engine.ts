import type { BaseCheckpointSaver, Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../../checkpoint-error.js";
import { keyInThread } from "../../engine.js";
import type {
  Batch,
  BatchResult,
  CheckpointKey,
  EarlyWrite,
  Engine,
  ListQuery,
  OnDamage,
  NewCheckpoint,
  NewWrites,
  PrunePolicy,
  PruneResult,
  Rewrite,
  StoredTuple,
} from "../../engine.js";
import { LRUCache } from "lru-cache";
import type { Node } from "../../codec/node.js";
import { packedAlone } from "../../codec/packing/bundle.js";
import { planPrune } from "../../collection/plan-prune.js";
import { despiteCollections, reachAll, rootsOf, treesOf, tuplesOf } from "../../collection/reach.js";
import type { DriverBlobs } from "./driver-blobs.js";
import { inMemoryDeletion, type DeleteCheckpoints } from "./in-memory-deletion.js";
import { finishSwaps, swapThread } from "./swap-thread.js";
import { configOf, isWanted, optionsOf, storedTuple, toStored, toStoredWrite } from "./saver-tuples.js";

export interface SaverEngineOptions {
  readonly saver: BaseCheckpointSaver;
  readonly blobs: DriverBlobs;
  /** The interface of savers cannot delete single checkpoints. @default known for a MemorySaver only */
  readonly deleteCheckpoints?: DeleteCheckpoints | undefined;
}

const maxStored = 10_000;

/** Keeps checkpoints in another saver, with small texts in place of the channel values, and the blobs beside it. */
export class SaverEngine implements Engine {
  readonly name: string;
  readonly #saver: BaseCheckpointSaver;
  readonly #blobs: DriverBlobs;
  readonly #deleteCheckpoints: DeleteCheckpoints | undefined;
  /** Checkpoints that this process has stored, or found. */
  readonly #stored = new LRUCache<string, true>({ max: maxStored });

  constructor({ saver, blobs, deleteCheckpoints }: SaverEngineOptions) {
    this.#deleteCheckpoints = deleteCheckpoints ?? inMemoryDeletion(saver);
    this.name = saver.constructor.name;
    this.#saver = saver;
    this.#blobs = blobs;
  }

  /** Stores blobs first: a crash in between leaves unreferenced blobs, never a reference to a missing blob. */
  async commit({ threadId, epoch, blobs, checkpoint, writes }: Batch): Promise<BatchResult> {
    // Storing blobs returns the epoch too, which saves a read.
    const before = blobs.size > 0 ? undefined : await this.#blobs.epoch(threadId);
    if (blobs.size === 0 && epoch !== undefined && epoch !== before) return { stored: false, epoch: before };
    const packed = new Map([...blobs].map(([digest, stored]) => [digest, packedAlone(stored)]));
    const now = before ?? (await this.#blobs.put(threadId, packed));
    // A collection ended the caller's epoch: the blobs that the caller left out as stored may be gone.
    if (epoch !== undefined && now !== epoch) return { stored: false, epoch: now };
    if (checkpoint) await this.#put(checkpoint);
    if (writes) await this.#putWrites(writes);
    const after = await this.#blobs.epoch(threadId);
    return { stored: after === now, epoch: after };
  }

  async read({ threadId, namespace, id }: Omit<CheckpointKey, "id"> & { readonly id?: string }): Promise<{
    tuple: StoredTuple | undefined;
    epoch: string | undefined;
  }> {
    const epoch = await this.#blobs.epoch(threadId);
    const tuple = await this.#saver.getTuple(configOf({ threadId, namespace, id }));
    return { tuple: tuple && storedTuple(tuple), epoch };
  }

  /**
   * Checks the conditions of the query here as well, because some savers ignore the id, or a limit of 0, and each has another order
   * for ids that are no UUIDs.
   */
  async *list(query: ListQuery): AsyncIterable<StoredTuple> {
    const { threadId, namespace, id, limit = Infinity } = query;
    if (limit <= 0) return;
    if (threadId !== undefined && namespace !== undefined && id !== undefined) {
      const tuple = await this.#saver.getTuple(configOf({ threadId, namespace, id }));
      if (tuple && isWanted(id, query)) yield storedTuple(tuple);
      return;
    }
    let left = limit;
    for await (const tuple of this.#saver.list(configOf({ threadId, namespace, id }), optionsOf(query))) {
      if (!isWanted(tuple.checkpoint.id, query)) continue;
      yield storedTuple(tuple);
      left -= 1;
      if (left <= 0) return;
    }
  }

  /** Reports an error of the wrapped saver, which reads its own rows, and ends the list with it. */
  async *listIntact(threadId: string, onDamage: OnDamage): AsyncIterable<StoredTuple> {
    try {
      yield* this.list({ threadId });
    } catch (error) {
      onDamage({ threadId, error: error as Error });
    }
  }

  async threads(): Promise<readonly string[]> {
    const threads = new Set<string>();
    for await (const { config } of this.#saver.list({}))
      threads.add(String(config.configurable?.["thread_id"]));
    return [...threads];
  }

  async blobs(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return digests.length === 0 ? new Map() : this.#blobs.get(threadId, digests);
  }

  async *early(): AsyncIterable<EarlyWrite> {
    for (const threadId of await this.threads())
      for (const value of await this.#early(threadId, await tuplesOf(this, threadId)))
        yield { threadId, value };
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#blobs.deleteThread(threadId, async () => this.#saver.deleteThread(threadId));
  }

  /**
   * Starts a new epoch first: from then on writers send every blob again, so nothing is added to the old epoch. Then it moves
   * the blobs that are reachable from the kept checkpoints into the new epoch, and from writes whose checkpoint is not stored
   * yet. Deletes nothing when it cannot read them. What was written since the oldest kept checkpoint stays too: its checkpoint may
   * be on its way.
   */
  async prune(threadId: string, policy: PrunePolicy): Promise<PruneResult> {
    const deleteCheckpoints = this.#deleteCheckpoints;
    if (!deleteCheckpoints) {
      throw new CheckpointError(
        "unsupported",
        `${this.name} cannot delete single checkpoints. Pass deleteCheckpoints to VfsSaver.wrap, or delete the thread.`,
      );
    }
    if ((await tuplesOf(this, threadId)).length === 0) return { checkpoints: 0, blobs: 0 };
    const ended = await this.#blobs.nextEpoch(threadId);
    const { drop, kept } = await despiteCollections(async () => {
      const tuples = await tuplesOf(this, threadId);
      const plan = planPrune(tuples, policy);
      const early = await this.#early(threadId, tuples);
      const { blobs } = await reachAll([...rootsOf(plan.keep), ...early], treesOf(this, threadId));
      return { drop: plan.drop, kept: { reached: blobs, since: oldestOf(plan.keep) } };
    });
    if (drop.length > 0) await deleteCheckpoints(drop);
    return { checkpoints: drop.length, blobs: await this.#blobs.adopt(threadId, kept, ended) };
  }

  /** Returns the values of writes whose checkpoint is still not stored, and forgets the others. */
  async #early(threadId: string, tuples: readonly StoredTuple[]): Promise<readonly Node[]> {
    const stored = new Set(tuples.map(keyInThread));
    const early: Node[] = [];
    for await (const { key, nodes, path } of this.#blobs.early(threadId)) {
      if (stored.has(key)) await this.#blobs.forget(path);
      else early.push(...nodes);
    }
    return early;
  }

  /**
   * Savers keep the first writes of a task, so the thread is deleted and stored again. A kill in between loses nothing: the next call
   * goes on from a copy.
   */
  async rewrite(rewrite: Rewrite): Promise<void> {
    await swapThread(this, this.#blobs, rewrite);
    this.#stored.clear();
  }

  async resume(): Promise<void> {
    await finishSwaps(this, this.#blobs);
  }

  async close(): Promise<void> {
    // The saver and the driver belong to the caller.
  }

  async #put({
    threadId,
    namespace,
    parentId,
    checkpoint,
    metadata,
    newVersions,
  }: NewCheckpoint): Promise<void> {
    const values = Object.entries(checkpoint.channel_values).map(([channel, node]) => [
      channel,
      toStored(node),
    ]);
    const stored: Checkpoint = { ...checkpoint, channel_values: Object.fromEntries(values) };
    await this.#saver.put(
      configOf({ threadId, namespace, id: parentId }),
      stored,
      metadata as unknown as CheckpointMetadata,
      newVersions,
    );
    this.#stored.set(JSON.stringify([threadId, namespace, checkpoint.id]), true);
  }

  async #isStored({ threadId, namespace, id }: CheckpointKey): Promise<boolean> {
    const key = JSON.stringify([threadId, namespace, id]);
    if (this.#stored.has(key)) return true;
    const tuple = await this.#saver.getTuple(configOf({ threadId, namespace, id }));
    if (tuple?.checkpoint.id !== id) return false;
    this.#stored.set(key, true);
    return true;
  }

  async #putWrites(added: NewWrites): Promise<void> {
    const { threadId, namespace, id, taskId, taskPath, writes } = added;
    if (!(await this.#isStored(added)))
      await this.#blobs.noteEarly(threadId, {
        key: keyInThread(added),
        nodes: writes.map(({ value }) => value),
      });
    await this.#saver.putWrites(
      configOf({ threadId, namespace, id }),
      writes.map(({ channel, value }) => [channel, toStoredWrite({ taskPath, value })]),
      taskId,
      taskPath,
    );
  }
}

/** Returns the time of the oldest checkpoint. */
function oldestOf(tuples: readonly StoredTuple[]): string {
  return tuples.map(({ checkpoint }) => checkpoint.ts).toSorted()[0] ?? "";
}
