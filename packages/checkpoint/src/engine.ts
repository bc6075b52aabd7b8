import type { ChannelVersions, Checkpoint } from "@langchain/langgraph-checkpoint";
import type { DriverEntry } from "@palimpsest/vfs";
import type { Stored } from "./codec/packing/bundle.js";
import type { Node } from "./codec/node.js";
import type { Unpacked } from "./codec/packing/unpacked.js";

/** The key of a checkpoint. */
export interface CheckpointKey {
  readonly threadId: string;
  readonly namespace: string;
  readonly id: string;
}

/** Returns the key of a checkpoint in a map of those of its thread, which begins with the namespace as JSON in a bracket. Pure. */
export function keyInThread({ namespace, id }: Pick<CheckpointKey, "namespace" | "id">): string {
  return JSON.stringify([namespace, id]);
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

/** `index` is the position of the write in its task. A write below zero replaces the stored one, others keep it. */
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

/** A write whose checkpoint is not stored: it is on its way, or a kill came before it. */
export interface EarlyWrite {
  readonly threadId: string;
  readonly value: Node;
}

export interface StoredTuple extends CheckpointKey {
  readonly parentId: string | undefined;
  readonly checkpoint: EncodedCheckpoint;
  readonly metadata: Record<string, Node>;
  /** In the order `(task path, task id, index)`. */
  readonly writes: readonly StoredWrite[];
}

/** One commit: a checkpoint or the writes of a task, and the blobs that they need and that the caller has not stored before. */
export interface Batch {
  readonly threadId: string;
  /** The thread's epoch when the caller learned which blobs are stored; undefined when it sends all of them. */
  readonly epoch: string | undefined;
  /** By digest. Blobs that are stored already stay. */
  readonly blobs: ReadonlyMap<string, Stored>;
  readonly checkpoint?: NewCheckpoint;
  readonly writes?: NewWrites;
}

export interface BatchResult {
  /** False when blobs were collected since `epoch`: nothing was stored, and the caller has to send every blob again. */
  readonly stored: boolean;
  /** The thread's epoch now; undefined when the thread was deleted. */
  readonly epoch: string | undefined;
}

/** What takes the place of stored content of a thread. */
export interface Rewrite {
  readonly threadId: string;
  /** By digest: what the rewritten parts need. */
  readonly blobs: ReadonlyMap<string, Stored>;
  readonly checkpoints: readonly NewCheckpoint[];
  /** Each with all writes of its task. */
  readonly writes: readonly NewWrites[];
}

/** A stored part that cannot be read. */
export interface DamagedPart {
  readonly threadId: string;
  /** The checkpoint; undefined if the thread, the namespace or an index is damaged. For a value, the newest checkpoint that holds it. */
  readonly id?: string;
  /** Of a stored value, or of the content of a workspace file. */
  readonly digest?: string;
  /** A CheckpointError or a FileError that says what is damaged. */
  readonly error: Error;
}

export type OnDamage = (damage: DamagedPart) => void;

/** Which checkpoints to list, newest first. */
export interface ListQuery {
  readonly threadId?: string;
  readonly namespace?: string;
  readonly id?: string;
  /** Only ids that sort before this one. */
  readonly before?: string;
  readonly limit?: number;
  /** Omits the writes of tasks if they take another read for each checkpoint. @default false */
  readonly withoutWrites?: boolean;
}

/** Which checkpoints of a thread stay: those for which any of these holds. */
export interface PrunePolicy {
  /** They are among so many newest of their namespace. */
  readonly keepLast: number;
  /** They are from this ISO 8601 time or later. @default none for their time */
  readonly since?: string | undefined;
  /** Their metadata has one of these values under `tag`. */
  readonly tags: ReadonlySet<unknown>;
}

export interface PruneResult {
  /** How many checkpoints were deleted. */
  readonly checkpoints: number;
  /** How many stored values were deleted with them. */
  readonly blobs: number;
  /** With `dryRun`: how many checkpoints there are. */
  readonly of?: number;
  /** With `dryRun`: the ISO 8601 time of the newest that would be deleted. */
  readonly until?: string;
}

export interface BlobsOptions {
  /**
   * Omits a blob whose own row is damaged or missing, even if another row leads to its bytes, because a request for only this
   * blob would fail. @default false
   */
  readonly eachRow?: boolean;
}

/** How much there is of something. */
export interface Size {
  readonly rows: number;
  readonly bytes: number;
}

/** How much an engine stores, as it is stored. */
export interface EngineSizes {
  /** Checkpoints and pending writes. */
  readonly checkpoints: Size;
  /** Messages, large values and pages of lists. */
  readonly contents: Size;
  /** Bytes of the storage with indexes and free space. */
  readonly disk: number;
}

/** How many files there are of each kind, and their bytes before compression. */
export interface FileSizes {
  /** Contents of a wrapped saver. */
  readonly contents: Size;
  /** Archives, notes, turns and keys of threads. */
  readonly archive: Size;
  /** Contents of workspace files, and what belongs to no thread. */
  readonly files: Size;
}

/** Which threads to list, in the order of the bytes of their ids. */
export interface ThreadRange {
  /** Only ids that begin with it. @default "" */
  readonly prefix?: string | undefined;
  /** Only ids behind it. @default from the first */
  readonly after?: string | undefined;
  /** At most so many. @default all */
  readonly limit?: number | undefined;
}

/** The port through which `VfsSaver` stores. A checkpoint or a task's writes are stored completely or not at all. */
export interface Engine {
  /** The name of the engine in messages, such as "libsql". */
  readonly name: string;
  commit(batch: Batch): Promise<BatchResult>;
  /** Returns a checkpoint, or the newest of a namespace without `id`, and the thread's epoch. */
  read(
    key: Omit<CheckpointKey, "id"> & { readonly id?: string },
  ): Promise<{ tuple: StoredTuple | undefined; epoch: string | undefined }>;
  list(query: ListQuery): AsyncIterable<StoredTuple>;
  /** Lists the readable checkpoints of a thread, and reports the others. */
  listIntact(threadId: string, onDamage: OnDamage): AsyncIterable<StoredTuple>;
  /**
   * Yields the writes of all threads whose checkpoint is not stored. Around a saver of another package, only of threads that it
   * lists.
   */
  early(): AsyncIterable<EarlyWrite>;
  /** Returns the ids of all threads, in any order. With `onDamage`, of those whose entry is intact. */
  threads(onDamage?: OnDamage): Promise<readonly string[]>;
  /** Returns the ids of a range of threads, in order. Optional: for engines with an index of ids. */
  threadsIn?(range: ThreadRange): Promise<readonly string[]>;
  /** Returns the stored blobs among those asked for, by digest. */
  blobs(
    threadId: string,
    digests: readonly string[],
    options?: BlobsOptions,
  ): Promise<ReadonlyMap<string, Stored>>;
  /** Decrypts loaded blobs. Optional: for an engine that encrypts. */
  open?(values: readonly Unpacked[]): Promise<readonly Unpacked[]>;
  /** Commits what is written while `work` runs as one transaction. Optional: for engines that can. */
  together?<T>(work: () => Promise<T>): Promise<T>;
  /** Compares the indexes of the storage with its rows. Optional: for engines that can. */
  checkIndexes?(onDamage: OnDamage): Promise<void>;
  /** Deletes a thread's checkpoints, and the blobs that no other thread references. */
  deleteThread(threadId: string): Promise<void>;
  /** Deletes the checkpoints that the policy does not keep, and the blobs that only they referenced. */
  prune(threadId: string, policy: PrunePolicy): Promise<PruneResult>;
  /**
   * Puts checkpoints and writes in the place of the stored ones, and deletes the blobs that nothing in the thread reaches then, out of
   * bundles too, and writes whose checkpoint was never stored. A checkpoint that was deleted meanwhile stays so. No agent may run in
   * the thread.
   */
  rewrite(rewrite: Rewrite): Promise<void>;
  /** Ends rewrites that a kill has interrupted. Optional: for engines whose `rewrite` is not one transaction. */
  resume?(): Promise<void>;
  /** Gives the bytes of deleted rows back to the disk, so that no file holds them. Optional: for engines that can. */
  scrub?(): Promise<void>;
  /** Counts what is stored. Optional: for engines that can. */
  sizes?(): Promise<EngineSizes>;
  close(): Promise<void>;
}

/** A thread to delete, and where its files are. */
export interface ThreadPlaces {
  readonly threadId: string;
  /** The directories of its archive; none keeps the archive. */
  readonly archives: readonly string[];
  /** The directory of its references to the contents of workspace files. */
  readonly references: string;
  /** The file that exists while it is the target of a copy. */
  readonly copy: string;
}

/** What threads that were deleted have left. */
export interface LeftByThreads {
  /** The references of the threads, as they were before the deletion. */
  readonly references: readonly DriverEntry[];
  /** Whether contents wait for their deletion. */
  readonly areWaiting: boolean;
}

/** Deletes threads with their files at once, where one database has both. */
export interface WholeDeletion {
  /**
   * Deletes checkpoints, archives and marks of copies of threads, each thread in one transaction, and leaves their references.
   * Waits for commits in progress. Safe to repeat. `waiting` is the directory of contents that wait for their deletion.
   */
  deleteThreads(threads: readonly ThreadPlaces[], waiting: string): Promise<LeftByThreads>;
}
