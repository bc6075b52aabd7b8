import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointListOptions,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from "@langchain/langgraph-checkpoint";

/** A saver with nothing but the interface that every saver has. */
export class ForwardingSaver extends BaseCheckpointSaver {
  readonly #saver: BaseCheckpointSaver;

  constructor(saver: BaseCheckpointSaver) {
    super(saver.serde);
    this.#saver = saver;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#saver.getTuple(config);
  }

  override async *list(
    config: RunnableConfig,
    options?: CheckpointListOptions,
  ): AsyncGenerator<CheckpointTuple> {
    yield* this.#saver.list(config, options);
  }

  // oxlint-disable-next-line max-params -- the host's signature
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#saver.put(config, checkpoint, metadata, newVersions);
  }

  // oxlint-disable-next-line max-params -- the host's signature
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath?: string,
  ): Promise<void> {
    await this.#saver.putWrites(config, writes, taskId, taskPath);
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#saver.deleteThread(threadId);
  }
}
