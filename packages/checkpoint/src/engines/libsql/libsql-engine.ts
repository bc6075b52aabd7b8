import type { Node } from "../../codec/node.js";
import type { Stored } from "../../codec/packing/bundle.js";
import type {
  Batch,
  BatchResult,
  BlobsOptions,
  CheckpointKey,
  EarlyWrite,
  Engine,
  EngineSizes,
  ListQuery,
  OnDamage,
  PrunePolicy,
  PruneResult,
  Rewrite,
  StoredTuple,
  ThreadRange,
} from "../../engine.js";
import { CheckpointError } from "../../checkpoint-error.js";
import { checkedBytes } from "../../collection/load-blobs.js";
import { planPrune } from "../../collection/plan-prune.js";
import { reachAllSync, rootsOf } from "../../collection/reach.js";
import { tooLarge } from "../too-large.js";
import { LibsqlBlobs } from "./libsql-blobs.js";
import { LibsqlCheckpoints } from "./libsql-checkpoints.js";
import type { LibsqlDatabase } from "./libsql-database.js";
import { libsqlSizes } from "./libsql-sizes.js";
import { LibsqlWrites } from "./libsql-writes.js";
import { LibsqlThreads } from "./libsql-threads.js";

/** Most bytes of a value: a row of SQLite has a gigabyte at most, and a longer parameter counts as none. */
const maxBytes = 999_000_000;

/** Keeps checkpoints in one SQLite file. Each commit is one transaction. */
export class LibsqlEngine implements Engine {
  readonly name = "libsql";
  readonly #database: LibsqlDatabase;
  readonly #threads: LibsqlThreads;
  readonly #blobs: LibsqlBlobs;
  readonly #checkpoints: LibsqlCheckpoints;
  readonly #writes: LibsqlWrites;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.#threads = new LibsqlThreads(database);
    this.#blobs = new LibsqlBlobs(database);
    this.#checkpoints = new LibsqlCheckpoints(database);
    this.#writes = new LibsqlWrites(database);
  }

  async commit({ threadId, epoch, blobs, checkpoint, writes }: Batch): Promise<BatchResult> {
    for (const stored of blobs.values())
      if (stored instanceof Uint8Array && stored.length > maxBytes)
        throw tooLarge({ threadId, most: "1 GB", engine: "a SQLite file" });
    return this.#inTransaction(() => {
      const known = this.#threads.find(threadId);
      if (epoch !== undefined && epoch !== known?.epoch) return { stored: false, epoch: known?.epoch };
      const thread = known ?? this.#threads.add(threadId);
      // The empty namespace has the id of the thread.
      const space = (name: string): number =>
        name === "" ? thread.id : this.#threads.space(threadId, name).id;
      this.#blobs.add(thread.id, blobs);
      if (checkpoint) this.#checkpoints.add(space(checkpoint.namespace), checkpoint);
      if (writes) this.#writes.add(space(writes.namespace), writes);
      return { stored: true, epoch: thread.epoch };
    });
  }

  async together<T>(work: () => Promise<T>): Promise<T> {
    return this.#database.together(work);
  }

  async read({ threadId, namespace, id }: Omit<CheckpointKey, "id"> & { readonly id?: string }): Promise<{
    tuple: StoredTuple | undefined;
    epoch: string | undefined;
  }> {
    return this.#database.whenFree(() =>
      this.#database.read(() => {
        const thread = this.#threads.find(threadId);
        const space = namespace === "" ? thread : thread && this.#threads.find(threadId, namespace);
        if (!space) return { tuple: undefined, epoch: thread?.epoch };
        const tuple = id === undefined ? this.#checkpoints.newest(space) : this.#checkpoints.find(space, id);
        return { tuple, epoch: thread?.epoch };
      }),
    );
  }

  async *list({
    id,
    before,
    limit = Infinity,
    withoutWrites = false,
    ...place
  }: ListQuery): AsyncIterable<StoredTuple> {
    let left = limit;
    for (const space of await this.#database.whenFree(() => this.#threads.spaces(place))) {
      const range = {
        withoutWrites,
        ...(id === undefined ? {} : { id }),
        ...(before === undefined ? {} : { before }),
      };
      for (const tuple of this.#checkpoints.list(space, range)) {
        if (left-- <= 0) return;
        yield tuple;
      }
    }
  }

  async *listIntact(threadId: string, onDamage: OnDamage): AsyncIterable<StoredTuple> {
    const spaces = await this.#database.whenFree(() => this.#threads.intactSpaces(onDamage, threadId));
    for (const space of spaces) yield* this.#checkpoints.listIntact(space, onDamage);
  }

  async *early(): AsyncIterable<EarlyWrite> {
    for (const space of await this.#database.whenFree(() => this.#threads.spaces({}))) {
      const values = await this.#database.whenFree(() => this.#writes.early(space));
      for (const value of values) yield { threadId: space.threadId, value };
    }
  }

  async threads(onDamage?: OnDamage): Promise<readonly string[]> {
    const spaces = await this.#database.whenFree(() =>
      onDamage ? this.#threads.intactSpaces(onDamage) : this.#threads.spaces({}),
    );
    return [...new Set(spaces.map(({ threadId }) => threadId))];
  }

  async threadsIn(range: ThreadRange): Promise<readonly string[]> {
    return this.#database.whenFree(() => this.#threads.within(range));
  }

  async checkIndexes(onDamage: OnDamage): Promise<void> {
    const found = await this.#database.whenFree(() => this.#database.faults());
    for (const fault of found) {
      const message = `${this.#database.path} is damaged: ${fault}. Run "palimpsest verify --repair".`;
      onDamage({ threadId: "", error: new CheckpointError("corrupt", message) });
    }
  }

  async blobs(
    _threadId: string,
    digests: readonly string[],
    options?: BlobsOptions,
  ): Promise<ReadonlyMap<string, Stored>> {
    return this.#database.whenFree(
      () => this.#blobs.getAtOnce(digests) ?? this.#database.read(() => this.#blobs.get(digests, options)),
    );
  }

  async deleteThread(threadId: string): Promise<void> {
    await this.#freeing(() => {
      const thread = this.#threads.find(threadId);
      if (!thread) return;
      this.#threads.delete(threadId);
      this.#blobs.disown(thread.id);
    });
  }

  async prune(threadId: string, policy: PrunePolicy): Promise<PruneResult> {
    const result = await this.#freeing(() => {
      const thread = this.#threads.find(threadId);
      if (!thread) return { checkpoints: 0, blobs: 0 };
      const spaces = this.#threads.spaces({ threadId });
      const tuples = spaces.flatMap((space) => [...this.#checkpoints.list(space)]);
      const { keep, drop } = planPrune(tuples, policy);
      const roots = [...rootsOf(keep), ...spaces.flatMap((space) => this.#writes.early(space))];
      const reached = this.#reached(roots);
      for (const { namespace, id } of drop)
        this.#checkpoints.delete(this.#threads.space(threadId, namespace).id, id);
      for (const space of spaces) this.#checkpoints.recount(space);
      const blobs = this.#blobs.keepOnly(thread.id, reached);
      this.#threads.nextEpoch(threadId);
      return { checkpoints: drop.length, blobs };
    });
    return result;
  }

  async rewrite({ threadId, blobs, checkpoints, writes }: Rewrite): Promise<void> {
    await this.#freeing(() => {
      const thread = this.#threads.find(threadId);
      if (!thread) return;
      const space = (name: string): number => this.#threads.find(threadId, name)?.id ?? -1;
      this.#blobs.add(thread.id, blobs);
      for (const checkpoint of checkpoints)
        this.#checkpoints.replace(space(checkpoint.namespace), checkpoint);
      for (const task of writes) this.#writes.replace(space(task.namespace), task);
      const spaces = this.#threads.spaces({ threadId });
      for (const { id } of spaces) this.#writes.deleteEarly(id);
      const tuples = spaces.flatMap((each) => [...this.#checkpoints.list(each)]);
      this.#blobs.keepOnly(thread.id, this.#reached(rootsOf(tuples)), 1);
      this.#threads.nextEpoch(threadId);
    });
  }

  async scrub(): Promise<void> {
    await this.#database.whenFree(() => this.#database.scrub());
  }

  async sizes(): Promise<EngineSizes> {
    return libsqlSizes(this.#database);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  /** Returns the digests of all blobs that nodes need. */
  #reached(roots: readonly Node[]): ReadonlySet<string> {
    const { blobs } = reachAllSync(roots, (digests) => {
      const stored = this.#blobs.get(digests);
      return new Map(digests.map((digest) => [digest, checkedBytes(digest, stored.get(digest))]));
    });
    return blobs;
  }

  async #inTransaction<T>(work: () => T): Promise<T> {
    return this.#database.whenFree(() => this.#database.write(work));
  }

  async #freeing<T>(work: () => T): Promise<T> {
    const result = await this.#database.whenFree(() => this.#database.free(work));
    await this.#database.whenFree(() => this.#database.shrink());
    return result;
  }
}
