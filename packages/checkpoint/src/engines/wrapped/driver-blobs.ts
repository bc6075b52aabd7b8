import { hash, randomUUID } from "node:crypto";
import { encodeScope } from "@palimpsest/vfs/internal";
import type { FileDriver } from "@palimpsest/vfs";
import pLimit from "p-limit";
import type { Node } from "../../codec/node.js";

const concurrency = 16;

const swaps = "/swaps";

/** A blob's file. */
interface BlobFile {
  readonly path: string;
  readonly epoch: string;
  readonly digest: string;
  readonly modifiedAt: string;
}

/** Writes whose checkpoint was not stored when they were. */
export interface EarlyWrites {
  /** Namespace and id of the checkpoint, as JSON. */
  readonly key: string;
  readonly nodes: readonly Node[];
}

/** A thread whose complete copy takes its place. */
export interface SwapMark {
  readonly threadId: string;
  /** The thread is complete again, and the copy may go. */
  readonly isCopiedBack: boolean;
}

/** The blobs that a collection keeps. */
export interface Kept {
  readonly reached: ReadonlySet<string>;
  /** ISO 8601 time. A blob that was written then or later may belong to a write whose checkpoint is not stored yet. */
  readonly since: string;
}

/**
 * Keeps the blobs of a wrapped saver as files, `/checkpoints/<thread>/<epoch>/<digest>`, in any FileDriver. Each thread has
 * its own. A thread's epoch changes whenever blobs of it may have been deleted; a writer reads it on each commit, so that it
 * notices a collection by another process.
 */
export class DriverBlobs {
  readonly #driver: FileDriver;

  constructor(driver: FileDriver) {
    this.#driver = driver;
  }

  /** Returns the thread's epoch, undefined while it has no blobs. */
  async epoch(threadId: string): Promise<string | undefined> {
    const bytes = await this.#driver.read(`${directoryOf(threadId)}/epoch`);
    return bytes && Buffer.from(bytes).toString();
  }

  /** Stores packed blobs by digest and leaves those that are stored. Returns the epoch that they belong to. */
  async put(threadId: string, blobs: ReadonlyMap<string, Uint8Array>): Promise<string> {
    const epoch = (await this.epoch(threadId)) ?? (await this.#begin(threadId));
    await pLimit(concurrency).map(blobs, async ([digest, packed]) =>
      this.#driver.write(pathOf(threadId, epoch, digest), packed, { ifAbsent: true }),
    );
    return epoch;
  }

  async get(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const epoch = (await this.epoch(threadId)) ?? "";
    const found = new Map<string, Uint8Array>();
    const find = async (digest: string, path: string): Promise<void> => {
      const bytes = await this.#driver.read(path);
      if (bytes) found.set(digest, bytes);
    };
    const limit = pLimit(concurrency);
    await limit.map(digests, async (digest) => find(digest, pathOf(threadId, epoch, digest)));
    if (found.size === digests.length) return found;
    // During a collection, and after one that was interrupted, some blobs are still in an earlier epoch.
    const missing = new Set(digests.filter((digest) => !found.has(digest)));
    const elsewhere = (await this.#files(threadId)).filter(({ digest }) => missing.has(digest));
    await limit.map(elsewhere, async ({ digest, path }) => find(digest, path));
    return found;
  }

  /**
   * Deletes a thread's blobs: ends the epoch, lets `deleteCheckpoints` delete the checkpoints, deletes the blobs of ended
   * epochs. In this order a writer in between finds its epoch ended and stores every blob again under the next one.
   */
  async deleteThread(threadId: string, deleteCheckpoints: () => Promise<void>): Promise<void> {
    await this.#driver.delete(`${directoryOf(threadId)}/epoch`);
    await deleteCheckpoints();
    for await (const { path } of this.early(threadId)) await this.forget(path);
    const files = await this.#files(threadId);
    // Read the epoch after the list, so that the files of an epoch that began meanwhile are kept.
    const epoch = await this.epoch(threadId);
    const ended = files.filter((file) => file.epoch !== epoch);
    await pLimit(concurrency).map(ended, async ({ path }) => this.#driver.delete(path));
  }

  /** Begins a new epoch. The blobs of ended epochs can still be read. Returns the epochs that have ended. */
  async nextEpoch(threadId: string): Promise<readonly string[]> {
    const epochs = new Set((await this.#files(threadId)).map(({ epoch }) => epoch));
    const before = await this.epoch(threadId);
    await this.#driver.write(`${directoryOf(threadId)}/epoch`, Buffer.from(randomUUID()));
    return [...epochs.add(before ?? "")];
  }

  /**
   * Copies the reached blobs of ended epochs into the current one and deletes those of ended epochs that are older than `since`.
   * Returns how many of the deleted blobs were unreachable. A later call deletes the others.
   */
  async adopt(threadId: string, { reached, since }: Kept, ended: readonly string[]): Promise<number> {
    const limit = pLimit(concurrency);
    const files = (await this.#files(threadId)).filter(({ epoch }) => ended.includes(epoch));
    const kept = files.filter(({ digest }) => reached.has(digest));
    const blobs = new Map<string, Uint8Array>();
    await limit.map(kept, async ({ digest, path }) => {
      const bytes = await this.#driver.read(path);
      if (bytes) blobs.set(digest, bytes);
    });
    await this.put(threadId, blobs);
    const done = files.filter(({ digest, modifiedAt }) => reached.has(digest) || modifiedAt < since);
    await limit.map(done, async ({ path }) => this.#driver.delete(path));
    return new Set(done.map(({ digest }) => digest).filter((digest) => !reached.has(digest))).size;
  }

  /** Records the values of writes whose checkpoint is not stored yet: the interface of savers does not list them. */
  async noteEarly(threadId: string, { key, nodes }: EarlyWrites): Promise<void> {
    const bytes = Buffer.from(JSON.stringify({ key, nodes }));
    await this.#driver.write(`${earlyOf(threadId)}/${hash("sha256", bytes)}`, bytes, { ifAbsent: true });
  }

  /** Yields the recorded writes of a thread, each with its path. */
  async *early(threadId: string): AsyncGenerator<EarlyWrites & { readonly path: string }> {
    const paths: string[] = [];
    for await (const { path } of this.#driver.list(earlyOf(threadId))) paths.push(path);
    for (const path of paths) {
      const bytes = await this.#driver.read(path);
      if (bytes) yield { path, ...(JSON.parse(Buffer.from(bytes).toString()) as EarlyWrites) };
    }
  }

  /** Records how far a thread is replaced by its copy. */
  async markSwap(mark: SwapMark): Promise<void> {
    await this.#driver.write(`${swaps}/${encodeScope(mark.threadId)}`, Buffer.from(JSON.stringify(mark)));
  }

  /** Returns the threads that are being replaced. */
  async swaps(): Promise<readonly SwapMark[]> {
    const marks: SwapMark[] = [];
    for await (const { path } of this.#driver.list(swaps)) {
      const bytes = await this.#driver.read(path);
      if (bytes) marks.push(JSON.parse(Buffer.from(bytes).toString()) as SwapMark);
    }
    return marks;
  }

  async endSwap(threadId: string): Promise<void> {
    await this.#driver.delete(`${swaps}/${encodeScope(threadId)}`);
  }

  async forget(path: string): Promise<void> {
    await this.#driver.delete(path);
  }

  async #files(threadId: string): Promise<BlobFile[]> {
    const files: BlobFile[] = [];
    for await (const { path, modifiedAt } of this.#driver.list(directoryOf(threadId))) {
      const [epoch = "", name] = path.slice(directoryOf(threadId).length + 1).split("/");
      if (name !== undefined)
        files.push({ path, epoch, modifiedAt, digest: Buffer.from(name, "hex").toString("base64url") });
    }
    return files;
  }

  async #begin(threadId: string): Promise<string> {
    await this.#driver.write(`${directoryOf(threadId)}/epoch`, Buffer.from(randomUUID()), { ifAbsent: true });
    return (await this.epoch(threadId)) ?? this.#begin(threadId);
  }
}

function directoryOf(threadId: string): string {
  return `/checkpoints/${encodeScope(threadId)}`;
}

function earlyOf(threadId: string): string {
  return `/early/${encodeScope(threadId)}`;
}

/** The digest in hex, because some file systems ignore case. */
function pathOf(threadId: string, epoch: string, digest: string): string {
  return `${directoryOf(threadId)}/${epoch}/${Buffer.from(digest, "base64url").toString("hex")}`;
}
