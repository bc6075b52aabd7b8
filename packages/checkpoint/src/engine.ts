import type { ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import type { Stored } from "./codec/packing/bundle.js";
import type { Node } from "./codec/node.js";

/** Where a checkpoint belongs. */
export interface CheckpointKey {
  readonly threadId: string;
  readonly namespace: string;
  readonly id: string;
}

/** A checkpoint whose channel values are encoded. */
export interface EncodedCheckpoint extends Omit<Checkpoint, "channel_values"> {
  readonly channel_values: Record<string, Node>;
}

export interface NewCheckpoint extends CheckpointKey {
  readonly parentId: string | undefined;
  readonly checkpoint: EncodedCheckpoint;
  readonly metadata: Record<string, Node>;
  readonly newVersions: ChannelVersions;
}

/** `index` is the write's place in its task; a negative one replaces what is there, the others stay as first written. */
export interface EncodedWrite {
  readonly index: number;
  readonly channel: string;
  readonly value: Node;
}

export interface NewWrites extends CheckpointKey {
  readonly taskId: string;
  readonly taskPath: string;
  readonly writes: readonly EncodedWrite[];
}

export interface StoredWrite {
  readonly taskId: string;
  readonly taskPath: string;
  readonly channel: string;
  readonly value: Node;
}

export interface StoredTuple extends CheckpointKey {
  readonly parentId: string | undefined;
  readonly checkpoint: EncodedCheckpoint;
  readonly metadata: Record<string, Node>;
  /** In the order `(task path, task id, index)`. */
  readonly writes: readonly StoredWrite[];
}

/** One commit: a checkpoint or a task's writes, and the blobs they need that were not handed in before. */
export interface Batch {
  readonly threadId: string;
  /** The thread's epoch that the caller's knowledge is of; undefined when it knows nothing. */
  readonly epoch: string | undefined;
  /** By digest. Those that are there already stay. */
  readonly blobs: ReadonlyMap<string, Stored>;
  readonly checkpoint?: NewCheckpoint;
  readonly writes?: NewWrites;
}

export interface BatchResult {
  /** False when blobs were collected since `epoch`: nothing was stored, and everything has to be handed in anew. */
  readonly stored: boolean;
  /** The thread's epoch now; undefined when the thread is gone. */
  readonly epoch: string | undefined;
}

/** Which checkpoints to list, newest first. */
export interface ListQuery {
  readonly threadId?: string;
  readonly namespace?: string;
  readonly id?: string;
  /** Only ids that sort before this one. */
  readonly before?: string;
  readonly limit?: number;
}

export interface PruneResult {
  /** How many checkpoints were deleted. */
  readonly checkpoints: number;
  /** How many stored values were deleted with them. */
  readonly blobs: number;
}

/** What `VfsSaver` needs of a database. Every write is one commit: after a crash all of it is there, or nothing. */
export interface Engine {
  /** Names the engine in messages, such as "libsql". */
  readonly name: string;
  commit(batch: Batch): Promise<BatchResult>;
  /** A checkpoint, or the newest of a namespace when `id` is missing, and the thread's epoch. */
  read(
    key: Omit<CheckpointKey, "id"> & { readonly id?: string },
  ): Promise<{ tuple: StoredTuple | undefined; epoch: string | undefined }>;
  list(query: ListQuery): AsyncIterable<StoredTuple>;
  /** The blobs that are there, by digest. */
  blobs(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Stored>>;
  /** Deletes a thread's checkpoints, and the blobs that no other thread uses. */
  deleteThread(threadId: string): Promise<void>;
  /** Deletes what is older than the newest checkpoints of each namespace. */
  prune(threadId: string, keepLast: number): Promise<PruneResult>;
  close(): Promise<void>;
}
