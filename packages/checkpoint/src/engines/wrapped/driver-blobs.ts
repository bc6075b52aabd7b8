import { randomUUID } from "node:crypto";
import { encodeScope } from "@palimpsest/vfs/internal";
import type { FileDriver } from "@palimpsest/vfs";
import pLimit from "p-limit";
import type { BlobPort } from "./blob-port.js";

const concurrency = 16;

/** A blob's file. */
interface BlobFile {
  readonly path: string;
  readonly epoch: string;
  readonly digest: string;
}

/** Keeps blobs as files, `/checkpoints/<thread>/<epoch>/<digest>`, in any FileDriver. */
export class DriverBlobs implements BlobPort {
  readonly #driver: FileDriver;

  constructor(driver: FileDriver) {
    this.#driver = driver;
  }

  async epoch(threadId: string): Promise<string | undefined> {
    const bytes = await this.#driver.read(`${directoryOf(threadId)}/epoch`);
    return bytes && Buffer.from(bytes).toString();
  }

  async put(threadId: string, blobs: ReadonlyMap<string, Uint8Array>): Promise<string> {
    const epoch = (await this.epoch(threadId)) ?? (await this.#begin(threadId));
    await pLimit(concurrency).map([...blobs], async ([digest, packed]) => {
      await this.#driver.write(pathOf(threadId, epoch, digest), packed, { ifAbsent: true });
    });
    return epoch;
  }

  async get(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const epoch = (await this.epoch(threadId)) ?? "";
    const found = new Map<string, Uint8Array>();
    const find = async (digest: string, path: string): Promise<void> => {
      const bytes = await this.#driver.read(path);
      if (bytes) found.set(digest, bytes);
    };
    await pLimit(concurrency).map(digests, async (digest) => find(digest, pathOf(threadId, epoch, digest)));
    if (found.size === digests.length) return found;
    // During a collection, and after one that was interrupted, some blobs are still in an earlier epoch.
    const wanted = new Set(digests.filter((digest) => !found.has(digest)));
    const elsewhere = (await this.#files(threadId)).filter(({ digest }) => wanted.has(digest));
    await pLimit(concurrency).map(elsewhere, async ({ digest, path }) => find(digest, path));
    return found;
  }

  async deleteThread(threadId: string, deleteCheckpoints: () => Promise<void>): Promise<void> {
    await this.#driver.delete(`${directoryOf(threadId)}/epoch`);
    await deleteCheckpoints();
    const files = await this.#files(threadId);
    // Read the epoch after the list, so that the files of an epoch that began meanwhile are kept.
    const epoch = await this.epoch(threadId);
    const ended = files.filter((file) => file.epoch !== epoch);
    await pLimit(concurrency).map(ended, async ({ path }) => this.#driver.delete(path));
  }

  async nextEpoch(threadId: string): Promise<readonly string[]> {
    const epochs = new Set((await this.#files(threadId)).map(({ epoch }) => epoch));
    const before = await this.epoch(threadId);
    await this.#driver.write(`${directoryOf(threadId)}/epoch`, Buffer.from(randomUUID()));
    return [...epochs.add(before ?? "")];
  }

  async adopt(threadId: string, reached: ReadonlySet<string>, ended: readonly string[]): Promise<number> {
    const files = (await this.#files(threadId)).filter(({ epoch }) => ended.includes(epoch));
    const kept = files.filter(({ digest }) => reached.has(digest));
    const blobs = new Map<string, Uint8Array>();
    await pLimit(concurrency).map(kept, async ({ digest, path }) => {
      const bytes = await this.#driver.read(path);
      if (bytes) blobs.set(digest, bytes);
    });
    await this.put(threadId, blobs);
    await pLimit(concurrency).map(files, async ({ path }) => this.#driver.delete(path));
    return new Set(files.map(({ digest }) => digest).filter((digest) => !reached.has(digest))).size;
  }

  async close(): Promise<void> {
    // The driver belongs to the caller.
  }

  async #files(threadId: string): Promise<BlobFile[]> {
    const files: BlobFile[] = [];
    for await (const { path } of this.#driver.list(directoryOf(threadId))) {
      const [epoch = "", name] = path.slice(directoryOf(threadId).length + 1).split("/");
      if (name !== undefined)
        files.push({ path, epoch, digest: Buffer.from(name, "hex").toString("base64url") });
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

/** In hex, because some file systems ignore case. */
function pathOf(threadId: string, epoch: string, digest: string): string {
  return `${directoryOf(threadId)}/${epoch}/${Buffer.from(digest, "base64url").toString("hex")}`;
}
