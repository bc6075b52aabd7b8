import type { RunnableConfig } from "@langchain/core/runnables";
import { compareWritesSortKeys } from "@langchain/langgraph-checkpoint";
import type {
  BaseCheckpointSaver,
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../../checkpoint-error.js";
import type {
  Batch,
  BatchResult,
  CheckpointKey,
  Engine,
  ListQuery,
  NewCheckpoint,
  NewWrites,
  PruneResult,
  StoredTuple,
} from "../engine.js";
import { packedAlone } from "../../codec/packing/bundle.js";
import type { Node } from "../../codec/node.js";
import { unpack } from "../../codec/packing/pack.js";
import { planPrune } from "../../collection/plan-prune.js";
import { reachAll, rootsOf } from "../../collection/reach-all.js";
import type { BlobPort } from "./blob-port.js";
import type { DeleteCheckpoints } from "./checkpoint-deletion.js";
import { fromText, fromWriteText, toText, toWriteText } from "./node-text.js";

export interface SaverEngineOptions {
  readonly saver: BaseCheckpointSaver;
  readonly blobs: BlobPort;
  /** Undefined where the saver cannot delete single checkpoints. */
  readonly deleteCheckpoints: DeleteCheckpoints | undefined;
}

/** Keeps checkpoints in another saver, with small texts in place of the values, and the blobs beside it. */
export class SaverEngine implements Engine {
  readonly name: string;
  readonly #saver: BaseCheckpointSaver;
  readonly #blobs: BlobPort;
  readonly #deleteCheckpoints: DeleteCheckpoints | undefined;

  constructor({ saver, blobs, deleteCheckpoints }: SaverEngineOptions) {
    this.#deleteCheckpoints = deleteCheckpoints;
    this.name = saver.constructor.name;
    this.#saver = saver;
    this.#blobs = blobs;
  }

  /** Blobs come first: a crash in between leaves blobs that nobody refers to, never a reference to nothing. */
  async commit({ threadId, epoch, blobs, checkpoint, writes }: Batch): Promise<BatchResult> {
    // Handing in blobs tells the epoch too: then it need not be asked for.
    const before = blobs.size > 0 ? undefined : await this.#blobs.epoch(threadId);
    if (blobs.size === 0 && epoch !== undefined && epoch !== before) return { stored: false, epoch: before };
    const packed = new Map([...blobs].map(([digest, stored]) => [digest, packedAlone(stored)]));
    const now = before ?? (await this.#blobs.put(threadId, packed));
    // Collected in between: what the caller left out as stored earlier has to be handed in too.
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

  async *list({ threadId, namespace, id, before, limit }: ListQuery): AsyncIterable<StoredTuple> {
    const tuples = this.#saver.list(configOf({ threadId, namespace, id }), {
      ...(before === undefined ? {} : { before: configOf({ threadId, namespace, id: before }) }),
      ...(limit === undefined || limit === Infinity ? {} : { limit }),
    });
    for await (const tuple of tuples) yield storedTuple(tuple);
  }

  async blobs(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return digests.length === 0 ? new Map() : this.#blobs.get(threadId, digests);
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#blobs.deleteThread(threadId, async () => this.#saver.deleteThread(threadId));
  }

  /**
   * Begins a new epoch first: from then on writers hand in everything anew. Then nothing more is added to what there was,
   * and what the kept checkpoints reach of it is taken over.
   */
  async prune(threadId: string, keepLast: number): Promise<PruneResult> {
    const deleteCheckpoints = this.#deleteCheckpoints;
    if (!deleteCheckpoints) {
      throw new CheckpointError(
        "unsupported",
        `${this.name} has no way to delete single checkpoints. Give VfsSaver.wrap one as deleteCheckpoints, or delete the thread.`,
      );
    }
    if ((await this.#tuples(threadId)).length === 0) return { checkpoints: 0, blobs: 0 };
    const ended = await this.#blobs.nextEpoch(threadId);
    const { keep, drop } = planPrune(await this.#tuples(threadId), keepLast);
    if (drop.length > 0) await deleteCheckpoints(drop);
    const reached = await reachAll(rootsOf(keep), async (digests) => {
      const packed = await this.blobs(threadId, digests);
      return new Map([...packed].map(([digest, bytes]) => [digest, unpack(bytes)]));
    });
    return { checkpoints: drop.length, blobs: await this.#blobs.adopt(threadId, reached, ended) };
  }

  async close(): Promise<void> {
    await this.#blobs.close();
  }

  async #tuples(threadId: string): Promise<StoredTuple[]> {
    const tuples: StoredTuple[] = [];
    for await (const tuple of this.list({ threadId })) tuples.push(tuple);
    return tuples;
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
      toText(node),
    ]);
    const stored: Checkpoint = { ...checkpoint, channel_values: Object.fromEntries(values) };
    await this.#saver.put(
      configOf({ threadId, namespace, id: parentId }),
      stored,
      metadata as unknown as CheckpointMetadata,
      newVersions,
    );
  }

  async #putWrites({ threadId, namespace, id, taskId, taskPath, writes }: NewWrites): Promise<void> {
    await this.#saver.putWrites(
      configOf({ threadId, namespace, id }),
      writes.map(({ channel, value }) => [channel, toWriteText({ taskPath, value })]),
      taskId,
      taskPath,
    );
  }
}

interface Place {
  readonly threadId: string | undefined;
  readonly namespace: string | undefined;
  readonly id: string | undefined;
}

function configOf({ threadId, namespace, id }: Place): RunnableConfig {
  return {
    configurable: {
      ...(threadId === undefined ? {} : { thread_id: threadId }),
      ...(namespace === undefined ? {} : { checkpoint_ns: namespace }),
      ...(id === undefined ? {} : { checkpoint_id: id }),
    },
  };
}

function storedTuple({
  config,
  checkpoint,
  metadata,
  parentConfig,
  pendingWrites = [],
}: CheckpointTuple): StoredTuple {
  const values = Object.entries(checkpoint.channel_values).map(([channel, text]): [string, Node] => [
    channel,
    fromText(text),
  ]);
  const writes = pendingWrites.map(([taskId, channel, text]) => ({
    taskId,
    channel,
    ...fromWriteText(text),
  }));
  writes.sort((a, b) => compareWritesSortKeys([a.taskPath, a.taskId, 0], [b.taskPath, b.taskId, 0]));
  const { thread_id: threadId, checkpoint_ns: namespace = "" } = config.configurable ?? {};
  const fields: object = metadata ?? {};
  return {
    threadId,
    namespace,
    id: checkpoint.id,
    parentId: parentConfig?.configurable?.["checkpoint_id"],
    checkpoint: { ...checkpoint, channel_values: Object.fromEntries(values) },
    metadata: fields as Record<string, Node>,
    writes,
  };
}
