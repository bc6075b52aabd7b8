import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver, WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import type {
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { compactCheckpoint, compactWrites, expandTuple } from "./compact.js";

/**
 * A PostgresSaver with fewer and smaller rows: it keeps a row for each channel of a checkpoint and for each write, of which
 * most is keys. Here a checkpoint is one row and a task's writes are one, deflated. What was stored without is read as it is.
 */
export class CompactSaver extends BaseCheckpointSaver {
  readonly #saver: BaseCheckpointSaver;

  constructor(saver: BaseCheckpointSaver) {
    super();
    this.#saver = saver;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await this.#saver.getTuple(config);
    return tuple && expandTuple(tuple);
  }

  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<CheckpointTuple> {
    for await (const tuple of this.#saver.list(config, options)) yield expandTuple(tuple);
  }

  // oxlint-disable-next-line max-params -- the host's signature
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    // No version is new to the saver below, so that it makes no row for a channel; the metadata stands in the checkpoint.
    const none = {} as CheckpointMetadata;
    return this.#saver.put(config, compactCheckpoint(checkpoint, metadata), none, {});
  }

  /** As one row a task's writes stay as they were first written. Errors, interrupts and the like are rows that are replaced. */
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const special = writes.filter(([channel]) => Object.hasOwn(WRITES_IDX_MAP, channel));
    const others = writes.filter(([channel]) => !Object.hasOwn(WRITES_IDX_MAP, channel));
    const packed = others.length > 0 ? [compactWrites(others)] : [];
    await this.#saver.putWrites(config, [...packed, ...special], taskId);
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#saver.deleteThread(threadId);
  }
}
