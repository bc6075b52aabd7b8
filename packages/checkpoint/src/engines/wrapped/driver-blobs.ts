import { randomUUID } from "node:crypto";
import { encodeScope } from "@palimpsest/vfs";
import type { FileDriver } from "@palimpsest/vfs";
import type { BlobPort } from "./blob-port.js";
import { inBatches } from "./in-batches.js";

/** A blob's file. */
interface BlobFile {
  readonly path: string;
  readonly epoch: string;
  readonly digest: string;
}

/** Keeps blobs as files, `/checkpoints/<thread>/<epoch>/<digest>`, in anything that keeps files. */
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
    await inBatches([...blobs], async ([digest, packed]) => {
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
    await inBatches(digests, async (digest) => find(digest, pathOf(threadId, epoch, digest)));
    if (found.size === digests.length) return found;
    // While a collection runs, and after one that was cut short, some are still where an earlier epoch left them.
    const wanted = new Set(digests.filter((digest) => !found.has(digest)));
    const elsewhere = (await this.#files(threadId)).filter(({ digest }) => wanted.has(digest));
    await inBatches(elsewhere, async ({ digest, path }) => find(digest, path));
    return found;
  }

  async deleteThread(threadId: string, deleteCheckpoints: () => Promise<void>): Promise<void> {
    await this.#driver.delete(`${directoryOf(threadId)}/epoch`);
    await deleteCheckpoints();
    const files = await this.#files(threadId);
    // Read after the list: an epoch that began before it is this one.
    const epoch = await this.epoch(threadId);
    const ended = files.filter((file) => file.epoch !== epoch);
    await inBatches(ended, async ({ path }) => this.#driver.delete(path));
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
    await inBatches(kept, async ({ digest, path }) => {
      const bytes = await this.#driver.read(path);
      if (bytes) blobs.set(digest, bytes);
    });
    await this.put(threadId, blobs);
    await inBatches(files, async ({ path }) => this.#driver.delete(path));
    return new Set(files.map(({ digest }) => digest).filter((digest) => !reached.has(digest))).size;
  }

  async close(): Promise<void> {
    // The driver belongs to whoever gave it.
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

/** In hex, for file systems that ignore case. */
function pathOf(threadId: string, epoch: string, digest: string): string {
  return `${directoryOf(threadId)}/${epoch}/${Buffer.from(digest, "base64url").toString("hex")}`;
}
