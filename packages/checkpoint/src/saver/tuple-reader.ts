import { isDeepStrictEqual } from "node:util";
import { TASKS, maxChannelVersion } from "@langchain/langgraph-checkpoint";
import type {
  CheckpointMetadata,
  CheckpointPendingWrite,
  CheckpointTuple,
} from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../checkpoint-error.js";
import { Decoder } from "../codec/decoder.js";
import type { Encoder } from "../codec/encoder.js";
import type { Node } from "../codec/node.js";
import { loadBlobs } from "../collection/load-blobs.js";
import type { Engine, StoredTuple, StoredWrite } from "../engine.js";
import { nextVersion } from "./encode-checkpoint.js";
import { namingThread } from "./name-thread.js";

/** Decodes stored tuples: loads the blobs that they reach, checks their digests, decodes them. */
export class TupleReader {
  readonly #engine: Engine;
  readonly #fromText: (text: string) => Promise<unknown>;

  constructor(engine: Engine, fromText: (text: string) => Promise<unknown>) {
    this.#engine = engine;
    this.#fromText = fromText;
  }

  /** Decodes a tuple. Records the lists that it reads in `encoder`, so that writing them again stores nothing. */
  async read(stored: StoredTuple, encoder?: Encoder): Promise<CheckpointTuple> {
    return this.readWith(this.decoder(stored.threadId, encoder), stored);
  }

  /**
   * Decodes tuples one after the other. Loads the blobs of several tuples together. Successive tuples share message objects.
   */
  async *readShared(tuples: AsyncIterable<StoredTuple>): AsyncGenerator<CheckpointTuple> {
    let earlier: Decoder | undefined;
    for await (const batch of batchesOf(tuples)) {
      const threadId = batch[0]?.threadId;
      if (threadId === undefined) continue;
      const current: StoredTuple[] = [];
      for (const tuple of batch) current.push(await migrateSends(this.#engine, tuple));
      const together: Decoder = this.decoder(threadId, undefined, earlier);
      const isLoaded = await together.load(current.flatMap(nodesOf)).then(
        () => true,
        () => false,
      );
      if (isLoaded) for (const tuple of current) yield built(tuple, together);
      // A blob that cannot be loaded fails the tuple that needs it, after the tuples before it.
      else
        for (const tuple of current)
          yield* listOf(await this.unlessDeleted(tuple, async (one) => this.read(one)));
      earlier = isLoaded ? together : undefined;
    }
  }

  /** Runs `work` for a tuple of a list. Undefined for one that was deleted since it was listed, with what it reached. */
  async unlessDeleted<T>(
    listed: StoredTuple,
    work: (tuple: StoredTuple) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await work(listed);
    } catch (error) {
      if (!CheckpointError.isInstance(error) || error.code !== "missing-blob") throw error;
      const { tuple } = await this.#engine.read(listed);
      return tuple && work(tuple);
    }
  }

  async readWith(decoder: Decoder, stored: StoredTuple): Promise<CheckpointTuple> {
    const tuple = await migrateSends(this.#engine, stored);
    await decoder.load(nodesOf(tuple));
    return built(tuple, decoder);
  }

  async metadata({ threadId, metadata }: StoredTuple): Promise<object> {
    const decoder = this.decoder(threadId);
    await decoder.load(Object.values(metadata));
    return buildAll(metadata, decoder);
  }

  decoder(threadId: string, encoder?: Encoder, earlier?: Decoder): Decoder {
    return new Decoder({
      load: async (digests) => namingThread(threadId, async () => loadBlobs(this.#engine, threadId, digests)),
      fromText: this.#fromText,
      ...(encoder ? { encoder } : {}),
      ...(earlier ? { earlier } : {}),
    });
  }
}

/** Maximum number of tuples that are loaded together: their blobs stay in memory meanwhile. */
const maxBatch = 64;

/** Yields the tuples in batches that double in size, because the caller may need only the first tuple. */
async function* batchesOf(tuples: AsyncIterable<StoredTuple>): AsyncGenerator<readonly StoredTuple[]> {
  let [batch, size]: [StoredTuple[], number] = [[], 1];
  try {
    for await (const tuple of tuples) {
      batch.push(tuple);
      if (batch.length < size) continue;
      yield batch;
      [batch, size] = [[], Math.min(size * 2, maxBatch)];
    }
  } catch (error) {
    // The tuples that were listed before a damaged row are intact.
    yield batch;
    throw error;
  }
  yield batch;
}

function nodesOf({ checkpoint, metadata, writes }: StoredTuple): Node[] {
  return [
    ...Object.values(checkpoint.channel_values),
    ...Object.values(metadata),
    ...writes.map(({ value }) => value),
  ];
}

function listOf<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

/** Builds a tuple whose values the decoder has loaded. */
function built(tuple: StoredTuple, decoder: Decoder): CheckpointTuple {
  const { checkpoint, metadata, writes } = tuple;
  return {
    config: configOf(tuple, tuple.id),
    checkpoint: { ...checkpoint, channel_values: buildAll(checkpoint.channel_values, decoder) },
    metadata: buildAll(metadata, decoder) as CheckpointMetadata,
    pendingWrites: writes.map((write) => pendingWrite(write, decoder)),
    ...(tuple.parentId === undefined ? {} : { parentConfig: configOf(tuple, tuple.parentId) }),
  };
}

/** The task paths of writes, for which LangGraph's tuples have no place. */
const taskPaths = new WeakMap<CheckpointPendingWrite, string>();

/** Returns the path of the task of a write that a saver of this package has read; "" for another. Pure. */
export function taskPathOf(write: CheckpointPendingWrite): string {
  return taskPaths.get(write) ?? "";
}

function pendingWrite(
  { taskId, taskPath, channel, value }: StoredWrite,
  decoder: Decoder,
): CheckpointPendingWrite {
  const write: CheckpointPendingWrite = [taskId, channel, decoder.build(value)];
  if (taskPath !== "") taskPaths.set(write, taskPath);
  return write;
}

function buildAll(nodes: Readonly<Record<string, Node>>, decoder: Decoder): Record<string, unknown> {
  return Object.fromEntries(Object.entries(nodes).map(([key, node]) => [key, decoder.build(node)]));
}

function configOf({ threadId, namespace }: StoredTuple, id: string): CheckpointTuple["config"] {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } };
}

/** Version of the checkpoint format from which sends are values of a channel. */
const sendsInChannelSince = 4;

/** Returns a checkpoint of an older format with the sends of its parent's tasks in a channel, as in newer formats. */
async function migrateSends(engine: Engine, tuple: StoredTuple): Promise<StoredTuple> {
  const { checkpoint, threadId, namespace, parentId } = tuple;
  if (checkpoint.v >= sendsInChannelSince || parentId === undefined) return tuple;
  const parent = (await engine.read({ threadId, namespace, id: parentId })).tuple;
  const sends = (parent?.writes ?? []).filter(({ channel }) => channel === TASKS).map(({ value }) => value);
  const versions = Object.values(checkpoint.channel_versions);
  const version = versions.length > 0 ? maxChannelVersion(...versions) : nextVersion(undefined);
  return {
    ...tuple,
    checkpoint: {
      ...checkpoint,
      channel_values: { ...checkpoint.channel_values, [TASKS]: sends },
      channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
    },
  };
}

/** Returns a test of metadata against the filter of a list; undefined for one without conditions. Pure. */
export function metadataFilter(
  filter: object | null | undefined,
): ((metadata: object) => boolean) | undefined {
  // Callers without types pass null.
  const conditions = Object.entries(filter ?? {});
  if (conditions.length === 0) return undefined;
  return (metadata) =>
    conditions.every(([key, value]) => isDeepStrictEqual(Reflect.get(metadata, key), value));
}
