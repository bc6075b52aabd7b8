import { randomUUID } from "node:crypto";
import { encodeScope } from "@palimpsest/vfs";
import type { FileDriver } from "@palimpsest/vfs";
import type { BlobPort } from "./blob-port.js";

const atOnce = 16;

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
    const directory = `${directoryOf(threadId)}/${epoch}`;
    await inBatches([...blobs], async ([digest, packed]) => {
      await this.#driver.write(pathOf(directory, digest), packed, { ifAbsent: true });
    });
    return epoch;
  }

  async get(threadId: string, digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const directory = `${directoryOf(threadId)}/${await this.epoch(threadId)}`;
    const found = new Map<string, Uint8Array>();
    await inBatches(digests, async (digest) => {
      const bytes = await this.#driver.read(pathOf(directory, digest));
      if (bytes) found.set(digest, bytes);
    });
    return found;
  }

  async deleteThread(threadId: string, deleteCheckpoints: () => Promise<void>): Promise<void> {
    const epoch = await this.epoch(threadId);
    await this.#driver.delete(`${directoryOf(threadId)}/epoch`);
    await deleteCheckpoints();
    const paths: string[] = [];
    for await (const { path } of this.#driver.list(`${directoryOf(threadId)}/${epoch}`)) paths.push(path);
    await inBatches(paths, async (path) => this.#driver.delete(path));
  }

  async #begin(threadId: string): Promise<string> {
    await this.#driver.write(`${directoryOf(threadId)}/epoch`, Buffer.from(randomUUID()), { ifAbsent: true });
    return (await this.epoch(threadId)) ?? this.#begin(threadId);
  }

  async close(): Promise<void> {
    // The driver belongs to whoever gave it.
  }
}

function directoryOf(threadId: string): string {
  return `/checkpoints/${encodeScope(threadId)}`;
}

/** In hex, for file systems that ignore case. */
function pathOf(directory: string, digest: string): string {
  return `${directory}/${Buffer.from(digest, "base64url").toString("hex")}`;
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += atOnce) {
    await Promise.all(items.slice(start, start + atOnce).map(work));
  }
}
