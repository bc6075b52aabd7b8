import type { RunnableConfig } from "@langchain/core/runnables";
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
import { CheckpointError } from "../checkpoint-error.js";
import { HostSerializer } from "../codec/host-serializer.js";
import { deltaHistory } from "./delta-history.js";
import { channelSources, encodeCheckpoint, encodeWrites, versionsOf } from "./encode-checkpoint.js";
import type { CheckpointKey, EncodedCheckpoint, Engine, PruneResult } from "../engines/engine.js";
import { nextVersion } from "./next-version.js";
import { placeOf } from "./place-of.js";
import type { ThreadSession, ThreadSessionOptions } from "./thread-session.js";
import { ThreadSessions } from "./thread-sessions.js";
import { TupleReader } from "./tuple-reader.js";

const readAttempts = 3;

export interface EngineSaverOptions {
  readonly engine: Engine;
  readonly compress: boolean;
  readonly hold: ThreadSessionOptions["hold"];
}

export interface PruneOptions {
  /** How many checkpoints of each namespace stay. */
  readonly keepLast: number;
}

/** The host's verbs over an engine: encodes what is put, decodes what is read. */
export class EngineSaver extends BaseCheckpointSaver {
  protected readonly engine: Engine;
  readonly #sessions: ThreadSessions;
  readonly #reader: TupleReader;
  #closing: Promise<void> | undefined;

  constructor({ engine, compress, hold }: EngineSaverOptions) {
    const serializer = new HostSerializer();
    super(serializer);
    this.engine = engine;
    this.#sessions = new ThreadSessions({ engine, toText: serializer.toText, compress, hold });
    this.#reader = new TupleReader(engine, serializer.fromText);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.["thread_id"] === undefined) return undefined;
    const { threadId, namespace } = placeOf(config);
    const id = getCheckpointId(config);
    const session = this.#sessions.of(threadId);
    for (let attempt = 1; ; attempt++) {
      const { tuple, epoch } = await this.engine.read({ threadId, namespace, ...(id ? { id } : {}) });
      session.sawEpoch(epoch);
      if (!tuple) return undefined;
      session.remember(namespace, tuple.checkpoint);
      try {
        return await this.#reader.read(tuple, session.encoder);
      } catch (error) {
        // What was collected between the two reads is not there. Then the checkpoint is not there any more either.
        if (attempt === readAttempts || !CheckpointError.isInstance(error) || error.code !== "missing-blob")
          throw error;
      }
    }
  }

  override async *list(
    config: RunnableConfig,
    { before, limit = Infinity, filter = {} }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: id } = config.configurable ?? {};
    const earlier: string | undefined = before?.configurable?.["checkpoint_id"];
    const conditions = Object.entries(filter);
    let left = limit;
    if (left <= 0) return;
    const tuples = this.engine.list({
      ...(threadId === undefined ? {} : { threadId }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(id ? { id } : {}),
      ...(earlier ? { before: earlier } : {}),
      ...(conditions.length === 0 ? { limit } : {}),
    });
    for await (const tuple of tuples) {
      const metadata = await this.#reader.metadata(tuple);
      if (!conditions.every(([key, value]) => Reflect.get(metadata, key) === value)) continue;
      yield await this.#reader.read(tuple);
      left -= 1;
      if (left <= 0) return;
    }
  }

  // oxlint-disable-next-line max-params -- the host's signature
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, namespace } = placeOf(config);
    const session = this.#sessions.of(threadId);
    const parentId: string | undefined = config.configurable?.["checkpoint_id"];
    const parent =
      parentId === undefined ? undefined : await this.#known(session, { threadId, namespace, id: parentId });
    const sources = channelSources({
      checkpoint,
      newVersions,
      parent,
      recentValue: (channel, version) => session.recentValue(namespace, channel, version),
    });
    await session.commit((encoder, trusted) => {
      const encoded = encodeCheckpoint(encoder, { checkpoint, metadata, sources, trusted });
      session.remember(namespace, encoded.checkpoint);
      const versions = { ...newVersions, ...versionsOf(checkpoint, { sources, trusted }) };
      return {
        checkpoint: { threadId, namespace, id: checkpoint.id, parentId, newVersions: versions, ...encoded },
      };
    });
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
    await this.#sessions.of(threadId).commit((encoder) => ({
      writes: { threadId, namespace, id, taskId, taskPath, writes: encodeWrites(encoder, writes) },
    }));
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.engine.deleteThread(threadId);
    this.#sessions.forget(threadId);
  }

  /**
   * Deletes all but the newest checkpoints of a thread and what only they needed, safely while others write. Ancestors that
   * a kept delta channel is rebuilt from stay too. Throws a CheckpointError "unsupported" where the wrapped saver cannot.
   */
  async prune(threadId: string, { keepLast }: PruneOptions): Promise<PruneResult> {
    if (!Number.isInteger(keepLast) || keepLast < 1) {
      throw new CheckpointError(
        "invalid-config",
        `keepLast is ${keepLast}. Give a whole number of at least 1.`,
      );
    }
    const result = await this.engine.prune(threadId, keepLast);
    this.#sessions.forget(threadId);
    return result;
  }

  override async getDeltaChannelHistory(options: {
    config: RunnableConfig;
    channels: string[];
  }): Promise<Record<string, DeltaChannelHistory>> {
    return deltaHistory(this.engine, this.#reader, options);
  }

  /** Counts up, with a fraction that tells two branches of a fork apart. */
  override getNextVersion(current: number | undefined): number {
    return nextVersion(current);
  }

  /** Ends the connections of this saver. Closing it again changes nothing. */
  async close(): Promise<void> {
    this.#closing ??= this.engine.close();
    await this.#closing;
  }

  /** Only a parent that this process has not seen lately is read. */
  async #known(session: ThreadSession, key: CheckpointKey): Promise<EncodedCheckpoint | undefined> {
    const known = session.recent(key.namespace, key.id);
    if (known) return known;
    const { tuple, epoch } = await this.engine.read(key);
    session.sawEpoch(epoch);
    return tuple?.checkpoint;
  }
}
