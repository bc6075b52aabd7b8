import type { RunnableConfig } from "@langchain/core/runnables";
import type { KeyRing } from "@palimpsest/vfs/internal";
import { BaseCheckpointSaver, getCheckpointId } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  DeltaChannelHistory,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { HostSerializer } from "../codec/special-values.js";
import { plannedPrune } from "../collection/plan-prune.js";
import { threadsOf } from "../collection/thread-range.js";
import { despiteCollections, tuplesOf } from "../collection/reach.js";
import { checkpointEntries, type CheckpointEntry } from "./checkpoint-entries.js";
import { deltaHistory } from "./delta-history.js";
import {
  channelSources,
  encodeCheckpoint,
  encodeWrites,
  versionsOf,
  nextVersion,
} from "./encode-checkpoint.js";
import { EncryptedEngine } from "../engines/encrypted/encrypted-engine.js";
import type { ErasableStorage } from "./erasure/erase-thread.js";
import type { Engine, OnDamage, PruneResult, StoredTuple, ThreadRange } from "../engine.js";
import { mapErrors, namingThread, withThread } from "./name-thread.js";
import { checkLimit, checkPut, checkRange, checkWrites } from "./check-arguments.js";
import { checkThreadId, namesIn, placeOf } from "./place-of.js";
import { policyOf, type PruneOptions } from "./retention/prune-options.js";
import type { ThreadSessionOptions } from "./thread-session.js";
import { ThreadSessions } from "./thread-sessions.js";
import { SharedReader } from "./shared-reader.js";
import { metadataFilter, TupleReader } from "./tuple-reader.js";

export interface EngineSaverOptions {
  readonly engine: Engine;
  readonly compress: boolean;
  /** Keys for encryption. @default nothing is encrypted */
  readonly ring?: KeyRing | undefined;
  readonly cacheBytes: number;
  readonly referenceFiles: ThreadSessionOptions["referenceFiles"];
}

/** LangGraph's checkpointer interface over an engine: encodes what is put, decodes what is read. */
export class EngineSaver extends BaseCheckpointSaver {
  protected readonly engine: Engine;
  /** The engine with what is encrypted, if the saver encrypts: for what needs no key. */
  protected readonly stored: Engine;
  /** How values are stored and read, for an erasure. */
  protected readonly codec: Pick<ErasableStorage, "reader" | "newEncoder" | "compress" | "forget">;
  readonly #sessions: ThreadSessions;
  readonly #reader: TupleReader;
  #closing: Promise<void> | undefined;

  constructor({ engine: stored, compress, ring, cacheBytes, referenceFiles }: EngineSaverOptions) {
    const serializer = new HostSerializer();
    super(serializer);
    const engine = ring ? new EncryptedEngine(stored, { ring, compress }) : stored;
    this.engine = engine;
    this.stored = stored;
    this.#reader = new TupleReader(engine, serializer.fromText);
    const options = { engine, reader: this.#reader, compress, ring, referenceFiles };
    this.#sessions = new ThreadSessions({ ...options, toText: serializer.toText, cacheBytes });
    const newEncoder = async (threadId: string) => this.#sessions.of(threadId).freshEncoder();
    const forget = (threadId: string): void => this.#sessions.forget(threadId);
    this.codec = { reader: this.#reader, newEncoder, compress, forget };
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.["thread_id"] === undefined) return undefined;
    const { threadId, namespace } = placeOf(config);
    const id = getCheckpointId(config);
    const session = this.#sessions.of(threadId);
    const key = { threadId, namespace, ...(id ? { id } : {}) };
    const read = async (): Promise<CheckpointTuple | undefined> => {
      const { tuple, epoch } = await namingThread(threadId, async () => this.engine.read(key));
      session.sawEpoch(epoch);
      if (!tuple) return undefined;
      this.#sessions.remember(session, namespace, tuple.checkpoint);
      return this.#reader.read(tuple, session.encoder);
    };
    const isNewest = `${id}${namespace}` === "";
    return despiteCollections(async () => (isNewest ? session.readNewest(read) : read()));
  }

  override async *list(
    config: RunnableConfig,
    { before, limit, filter }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { threadId: thread, namespace, id } = namesIn(config);
    const { id: earlier } = namesIn(before);
    const threadId = thread === undefined ? undefined : checkThreadId(thread);
    const isWanted = metadataFilter(filter);
    let left = checkLimit(limit);
    if (left === 0) return;
    const tuples = this.engine.list({
      ...(threadId === undefined ? {} : { threadId }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(id ? { id } : {}),
      ...(earlier ? { before: earlier } : {}),
      ...(isWanted ? {} : { limit: left }),
    });
    const thrown = (error: unknown): unknown =>
      threadId === undefined ? error : withThread(threadId, error);
    const readIfWanted = async (tuple: StoredTuple): Promise<CheckpointTuple | undefined> => {
      const metadata = await this.#reader.metadata(tuple);
      return isWanted?.(metadata) === false ? undefined : this.#reader.read(tuple);
    };
    for await (const listed of mapErrors(tuples, thrown)) {
      const tuple = await this.#reader.unlessDeleted(listed, readIfWanted);
      if (!tuple) continue;
      yield tuple;
      left -= 1;
      if (left === 0) return;
    }
  }

  /**
   * Returns the ids of all threads, in any order, or with `prefix`, `after` or `limit` those of a range, in the order of their bytes:
   * on Postgres such a list takes a millisecond, however many threads there are. With `onDamage`, of those whose entry is intact;
   * without, a damaged entry throws a CheckpointError "corrupt".
   */
  async threads(options: ThreadRange & { readonly onDamage?: OnDamage } = {}): Promise<readonly string[]> {
    return threadsOf(this.stored, checkRange(options));
  }

  /**
   * Yields the checkpoints of a thread, newest first in each namespace. Reads no channel values, so it is much faster than
   * `list`, which decodes everything.
   */
  async *checkpoints(threadId: string): AsyncGenerator<CheckpointEntry> {
    yield* checkpointEntries(this.stored, checkThreadId(threadId));
  }

  /**
   * Yields the checkpoints of a thread in one namespace, newest first, with their values and without pending writes. Decodes
   * only what each checkpoint adds, while `list` decodes each one whole. Successive checkpoints share message objects: do not
   * change them.
   */
  async *history(threadId: string, namespace = ""): AsyncGenerator<CheckpointTuple> {
    placeOf({ configurable: { thread_id: threadId, checkpoint_ns: namespace } });
    const stored = this.engine.list({ threadId, namespace, withoutWrites: true });
    for await (const { pendingWrites: _, ...tuple } of mapErrors(this.#reader.readShared(stored), (error) =>
      withThread(threadId, error),
    ))
      yield tuple;
  }

  /**
   * Runs `work`, such as an import, and commits all that this saver writes meanwhile in one transaction, at its end, also if `work`
   * throws: many commits take longer. Until then a kill loses it, and other writers wait: keep it below a second. If a write
   * fails, nothing is kept and the saver is closed. Where the storage is no SQLite file, each write is committed on its own.
   */
  async together<T>(work: () => Promise<T>): Promise<T> {
    return this.engine.together?.(work) ?? work();
  }

  /**
   * Returns a reader whose `getTuple` decodes only what a checkpoint adds to the one that it read before in the namespace,
   * while that of the saver reads each one whole. Successive checkpoints share message objects: do not change them.
   */
  sharedReader(): Pick<BaseCheckpointSaver, "getTuple"> {
    return new SharedReader(this.engine, this.#reader);
  }

  // oxlint-disable-next-line max-params -- the host's signature
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, namespace } = placeOf(config);
    const { id: parentId } = namesIn(config);
    checkPut({ checkpoint, metadata, newVersions });
    const session = this.#sessions.of(threadId);
    const { parent, encoder } = await session.parent(namespace, parentId);
    const sources = channelSources({
      checkpoint,
      newVersions,
      parent,
      recentValue: (channel, version) => session.recentValue(namespace, channel, version),
    });
    await session.commit((encoder, trusted) => {
      const encoded = encodeCheckpoint(encoder, { checkpoint, metadata, sources, trusted });
      this.#sessions.remember(session, namespace, encoded.checkpoint);
      const versions = { ...newVersions, ...versionsOf(checkpoint, { sources, trusted }) };
      return {
        checkpoint: { threadId, namespace, id: checkpoint.id, parentId, newVersions: versions, ...encoded },
      };
    }, encoder);
    return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  // oxlint-disable-next-line max-params -- the host's signature
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = "",
  ): Promise<void> {
    const { threadId, namespace, id } = placeOf(config, { needsId: true });
    checkWrites({ writes, taskId, taskPath });
    await this.#sessions.of(threadId).commit((encoder) => ({
      writes: { threadId, namespace, id, taskId, taskPath, writes: encodeWrites(encoder, writes) },
    }));
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.engine.deleteThread(checkThreadId(threadId));
    this.#sessions.forget(threadId);
  }

  /**
   * Deletes the checkpoints of a thread that the options do not keep, and the values that only they referenced. Safe while others
   * write. Keeps the ancestors that a kept delta channel is rebuilt from. Throws a CheckpointError "bad-option" for options that
   * keep no checkpoint, "unsupported" when the wrapped saver cannot delete single checkpoints, "corrupt" or "missing-blob" when it
   * cannot read what it has to keep: it deletes nothing then.
   */
  async prune(threadId: string, options: PruneOptions): Promise<PruneResult> {
    checkThreadId(threadId);
    const policy = policyOf(options);
    if (options.dryRun === true) return plannedPrune(await tuplesOf(this.stored, threadId), policy);
    const result = await namingThread(threadId, async () => this.engine.prune(threadId, policy));
    this.#sessions.forget(threadId);
    return result;
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    return deltaHistory(this.engine, this.#reader, options);
  }

  /** Returns the next whole number plus a random fraction, so that two branches of a fork never share a version. */
  override getNextVersion(current: number | undefined): number {
    return nextVersion(current);
  }

  /** Closes the connections of this saver. Closing it again does nothing, unless the first attempt failed. */
  async close(): Promise<void> {
    this.#closing ??= this.engine.close();
    try {
      await this.#closing;
    } catch (error) {
      this.#closing = undefined;
      throw error;
    }
  }
}
