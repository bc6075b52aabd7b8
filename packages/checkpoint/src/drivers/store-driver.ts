import { randomUUID } from "node:crypto";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { comparePaths, FileError, normalizePath } from "@palimpsest/vfs";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "@palimpsest/vfs";
import { withLock } from "@palimpsest/vfs/internal";
import { pack, unpack } from "../codec/packing/pack.js";
import { checksummed, verified } from "../codec/packing/checksum.js";
import type { Place } from "../codec/packing/checksum.js";
import { checkNamespace, namespaceOfRun, type NamespaceOfRun } from "./run-namespace.js";
import { entryPlace, namespaceOf, partPlace, storedFile } from "./store-layout.js";
import type { StoredFile } from "./store-layout.js";

const partSize = 262_144;
const inlineSize = 4096;
const searchPage = 10_000;
const readAttempts = 5;

export interface StoreDriverOptions {
  /**
   * The namespace in the store. Drivers with different namespaces share nothing. A function gives each run its own, such as
   * `({ context }) => ["memories", context.userId]`: such a driver is only for a mount, and refuses calls outside a run.
   * @default ["palimpsest"]
   */
  readonly namespace?: readonly string[] | NamespaceOfRun;
}

/**
 * Keeps files in any LangGraph `BaseStore`: one item for a file's entry, and further items of 256 KB for a file over 4 KB.
 *
 * A store has no compare-and-set. Writers within one process take turns. If two processes write the same path at the same
 * moment, both writes may succeed; the later bytes stay, whole. Blobs and archive files lose nothing by it, because their names
 * are digests of their content.
 */
export class StoreDriver implements FileDriver {
  readonly name = "store";
  readonly #store: BaseStore;
  /** The place of the files depends on the run that asks. */
  readonly isPerRun: boolean;
  readonly #namespace: () => readonly string[];

  /** Throws a FileError "invalid-option" for a namespace that is no list of names. */
  constructor(store: BaseStore, { namespace = ["palimpsest"] }: StoreDriverOptions = {}) {
    this.#store = store;
    this.isPerRun = typeof namespace === "function";
    if (typeof namespace === "function") this.#namespace = () => namespaceOfRun(namespace);
    else {
      const own = checkNamespace([...namespace], "namespace is");
      this.#namespace = () => own;
    }
  }

  get #root(): readonly string[] {
    return this.#namespace();
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const file = await this.#find(normalizePath(path));
    return file && entryOf(file);
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    for (let attempt = 1; ; attempt++) {
      const file = await this.#find(normal);
      if (!file) return undefined;
      const bytes = await this.#bytes(file, range);
      if (bytes) return bytes;
      // Another writer replaced the file between the two reads: read the new entry.
      if (attempt === readAttempts)
        throw new FileError(
          "corrupt",
          `${normal} is damaged: a part of it is missing. Restore the store from a copy.`,
        );
    }
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = normalizePath(path);
    if (normal === "/") throw new FileError("is-directory", "/ is a directory. Name a file below it.");
    const own = Uint8Array.from(bytes);
    return this.#withLock(normal, async () => {
      const before = await this.#find(normal);
      if (before && ifAbsent) return false;
      await this.#put(normal, own);
      if (before) await this.#deleteParts(before);
      return true;
    });
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const normal = normalizePath(prefix);
    const below = normal === "/" ? "/" : `${normal}/`;
    const found = new Map<string, DriverEntry>();
    const namespace = namespaceOf(this.#root, normal);
    for (let offset = 0; ;) {
      const items = await this.#store.search(namespace, { limit: searchPage, offset });
      // A search may find items outside the namespace, and return fewer items than its limit.
      for (const { value, namespace: itsNamespace } of items) {
        const file = storedFile(value);
        if (!file?.path.startsWith(below)) continue;
        const { namespace: ours } = entryPlace(this.#root, file.path);
        if (JSON.stringify(ours) === JSON.stringify(itsNamespace)) found.set(file.path, entryOf(file));
      }
      if (items.length === 0) break;
      offset += items.length;
    }
    for (const [, entry] of [...found].sort(([a], [b]) => comparePaths(a, b))) yield entry;
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = normalizePath(path);
    return this.#withLock(normal, async () => {
      const file = await this.#find(normal);
      if (!file || (ifWrittenBy !== undefined && file.modifiedAt > ifWrittenBy)) return false;
      const { namespace, key } = entryPlace(this.#root, normal);
      await this.#store.delete(namespace, key);
      await this.#deleteParts(file);
      return true;
    });
  }

  async #find(path: string): Promise<StoredFile | undefined> {
    if (path === "/") return undefined;
    const { namespace, key } = entryPlace(this.#root, path);
    return storedFile((await this.#store.get(namespace, key))?.value);
  }

  /** Writes parts first: the entry then switches from the old bytes to the new ones in one step. */
  async #put(path: string, bytes: Uint8Array): Promise<void> {
    const file = { path, size: bytes.length, modifiedAt: new Date().toISOString(), version: randomUUID() };
    if (bytes.length > inlineSize) await this.#putParts(file.version, bytes);
    const { namespace, key } = entryPlace(this.#root, path);
    const value = bytes.length > inlineSize ? file : { ...file, inline: toText(bytes, [path, file.version]) };
    await this.#store.put(namespace, key, value, false);
  }

  async #putParts(version: string, bytes: Uint8Array): Promise<void> {
    for (let start = 0, number = 0; start < bytes.length; start += partSize, number++) {
      const { namespace, key } = partPlace(this.#root, version, number);
      const data = toText(bytes.subarray(start, start + partSize), [version, number]);
      await this.#store.put(namespace, key, { data }, false);
    }
  }

  /** Returns the bytes, or undefined when a part is missing. */
  async #bytes(
    { path, size, version, inline }: StoredFile,
    range: ByteRange | undefined,
  ): Promise<Uint8Array | undefined> {
    const start = Math.min(Math.max(0, range?.start ?? 0), size);
    const end = Math.max(start, Math.min(range?.end ?? size, size));
    if (inline !== undefined) return Uint8Array.from(fromText(inline, [path, version]).subarray(start, end));
    const bytes = new Uint8Array(end - start);
    for (let number = Math.floor(start / partSize); number * partSize < end; number++) {
      const { namespace, key } = partPlace(this.#root, version, number);
      const value: { readonly data?: unknown } | undefined = (await this.#store.get(namespace, key))?.value;
      if (typeof value?.data !== "string") return undefined;
      const part = fromText(value.data, [version, number]);
      const offset = number * partSize;
      const from = Math.max(0, start - offset);
      bytes.set(part.subarray(from, Math.min(part.length, end - offset)), offset + from - start);
    }
    return bytes;
  }

  async #deleteParts({ size, version, inline }: StoredFile): Promise<void> {
    if (inline !== undefined) return;
    for (let number = 0; number * partSize < size; number++) {
      const { namespace, key } = partPlace(this.#root, version, number);
      await this.#store.delete(namespace, key);
    }
  }

  async #withLock<T>(path: string, task: () => Promise<T>): Promise<T> {
    return withLock(this.#store, JSON.stringify([this.#root, path]), task);
  }
}

function entryOf({ path, size, modifiedAt }: StoredFile): DriverEntry {
  return { path, size, modifiedAt };
}

function toText(bytes: Uint8Array, place: Place): string {
  return checksummed(pack(bytes), place).toString("base64");
}

function fromText(text: string, place: Place): Uint8Array {
  return unpack(verified(Buffer.from(text, "base64"), place));
}
