import { comparePaths, directoryPrefix, normalizeFilePath, normalizePath } from "../paths.js";
import type { NormalPath } from "../paths.js";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "./file-driver.js";

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly modifiedAt: string;
}

/** Keeps files in the memory of this process. */
export class MemoryDriver implements FileDriver {
  readonly name = "memory";
  readonly #files = new Map<NormalPath, StoredFile>();

  async stat(path: string): Promise<DriverEntry | undefined> {
    return this.#entry(normalizePath(path));
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const bytes = this.#files.get(normalizePath(path))?.bytes;
    return range ? bytes?.slice(Math.max(0, range.start), Math.max(0, range.end)) : bytes?.slice();
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = normalizeFilePath(path);
    if (ifAbsent && this.#files.has(normal)) return false;
    this.#files.set(normal, { bytes: Uint8Array.from(bytes), modifiedAt: new Date().toISOString() });
    return true;
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const below = directoryPrefix(normalizePath(prefix));
    const paths = [...this.#files.keys()].filter((path) => path.startsWith(below));
    for (const path of paths.sort(comparePaths)) {
      const entry = this.#entry(path);
      if (entry) yield entry;
    }
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = normalizePath(path);
    const modifiedAt = this.#files.get(normal)?.modifiedAt ?? "";
    return (ifWrittenBy === undefined || modifiedAt <= ifWrittenBy) && this.#files.delete(normal);
  }

  #entry(path: NormalPath): DriverEntry | undefined {
    const file = this.#files.get(path);
    return file && { path, size: file.bytes.length, modifiedAt: file.modifiedAt };
  }
}
