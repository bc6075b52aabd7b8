/** Where a wrapped saver's blobs live, each thread's by themselves. */
export interface BlobPort {
  /**
   * Changes whenever blobs of the thread may have been deleted; undefined while it has none. Read on each commit, so that
   * a deletion by another process is noticed.
   */
  epoch(threadId: string): Promise<string | undefined>;
  /** Stores packed blobs by digest; those that are there stay. Returns the epoch they belong to. */
  put(threadId: string, blobs: ReadonlyMap<string, Uint8Array>): Promise<string>;
  get(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /**
   * Deletes a thread's blobs: ends its epoch, lets its checkpoints be deleted, deletes the blobs of the ended epoch. In this
   * order a writer in between finds the epoch ended, and hands everything in again under the next one.
   */
  deleteThread(threadId: string, deleteCheckpoints: () => Promise<void>): Promise<void>;
  /**
   * Begins a new epoch: what is handed in from now on is kept by itself, what there was can still be read. Returns the
   * epochs that ended, by this or earlier.
   */
  nextEpoch(threadId: string): Promise<readonly string[]>;
  /** Takes into the epoch what is reached of ended ones and deletes those. Returns how many blobs that deleted. */
  adopt(threadId: string, reached: ReadonlySet<string>, ended: readonly string[]): Promise<number>;
  close(): Promise<void>;
}
