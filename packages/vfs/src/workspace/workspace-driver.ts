import type { BlobStore } from "../blob-store.js";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "../drivers/file-driver.js";
import { FileError } from "../errors.js";
import { comparePaths, directoryPrefix, normalizeFilePath, normalizePath } from "../paths.js";
import { countLines } from "../reading/lines.js";
import type { ThreadSeal } from "../thread-seal.js";
import { lineageOf, nextVersion } from "./files.js";
import type { FileDeletion, FileEntry, Files, FilesUpdate } from "./files.js";

export interface WorkspaceDriverOptions {
  /** The clock. @default the system's */
  readonly now?: () => Date;
  /** Seals written entries, and refuses to read an entry without its seal. @default every entry is readable */
  readonly seal?: ThreadSeal;
}

/** Files whose entries are a snapshot of graph state and whose bytes are blobs. Collects changes; never alters the snapshot. */
export class WorkspaceDriver implements FileDriver {
  readonly name = "workspace";
  readonly #blobs: BlobStore;
  readonly #snapshot: Files;
  readonly #pending = new Map<string, FileEntry | FileDeletion>();
  readonly #now: () => Date;
  readonly #seal: ThreadSeal | undefined;

  constructor(
    blobs: BlobStore,
    snapshot: Files,
    { now = () => new Date(), seal }: WorkspaceDriverOptions = {},
  ) {
    this.#blobs = blobs;
    this.#snapshot = snapshot;
    this.#now = now;
    this.#seal = seal;
  }

  get changes(): FilesUpdate {
    return Object.fromEntries(this.#pending);
  }

  /** Returns the entry at a path, after the changes made through this driver. */
  entry(path: string): FileEntry | undefined {
    const pending = this.#pending.get(path);
    if (pending) return "deleted" in pending ? undefined : pending;
    return Object.hasOwn(this.#snapshot, path) ? this.#snapshot[path] : undefined;
  }

  /** Returns all entries, after the changes made through this driver. */
  entries(): [string, FileEntry][] {
    const paths = new Set([...Object.keys(this.#snapshot), ...this.#pending.keys()]);
    return [...paths].flatMap((path): [string, FileEntry][] => {
      const entry = this.entry(path);
      return entry ? [[path, entry]] : [];
    });
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const normal = normalizePath(path);
    const entry = this.entry(normal);
    return entry && describe(normal, entry);
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    const entry = this.entry(normal);
    if (entry === undefined) return undefined;
    if (!(await this.#isHeld(entry))) throw notHeld(normal);
    return this.#blobs.get(entry.digest, range).catch((error: unknown) => explainBlob(error, normal));
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = normalizeFilePath(path);
    if (ifAbsent && this.entry(normal)) return false;
    // A thread that cannot be signed for gets no content either.
    const sign = await this.#seal?.signer();
    const digest = await this.#blobs.put(bytes);
    const seal = sign?.("file", digest);
    const before = this.entry(normal);
    if (ifAbsent && before) return false;
    if (before?.digest === digest && before.seal === seal) return true;
    const ancestors = before ? lineageOf(before) : this.#deletedLineage(normal);
    this.#pending.set(normal, {
      digest,
      size: bytes.length,
      lines: countLines(bytes),
      modifiedAt: this.#now().toISOString(),
      version: nextVersion(digest, ancestors),
      ancestors,
      ...(seal === undefined ? {} : { seal }),
    });
    return true;
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const below = directoryPrefix(normalizePath(prefix));
    const found = this.entries().filter(([path]) => path.startsWith(below));
    for (const [path, entry] of found.sort(([a], [b]) => comparePaths(a, b))) yield describe(path, entry);
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = normalizePath(path);
    const entry = this.entry(normal);
    if (ifWrittenBy !== undefined && entry && entry.modifiedAt > ifWrittenBy) return false;
    if (entry) this.#pending.set(normal, { deleted: true, ancestors: lineageOf(entry) });
    return entry !== undefined;
  }

  async #isHeld({ digest, seal }: FileEntry): Promise<boolean> {
    return this.#seal === undefined || this.#seal.verify("file", digest, seal);
  }

  #deletedLineage(path: string): readonly string[] {
    return this.#pending.get(path)?.ancestors ?? [];
  }
}

function describe(path: string, { size, modifiedAt }: FileEntry): DriverEntry {
  return { path, size, modifiedAt };
}

/** Returns the error for an entry of a client or of another thread: knowing a digest gives no right to the bytes. */
function notHeld(path: string): FileError {
  return new FileError(
    "not-held",
    `${path} was not written in this thread, so its content is not shown. Write the file again, or delete it.`,
  );
}

function explainBlob(error: unknown, path: string): never {
  if (!FileError.isInstance(error)) throw error;
  throw new FileError(error.code, `${path} cannot be read. ${error.message}`, { cause: error });
}
