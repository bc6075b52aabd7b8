import { closeSync, lstatSync } from "node:fs";
import { rmdir, unlink } from "node:fs/promises";
import { posix } from "node:path";
import { FileError, showValue } from "../errors.js";
import { normalizeFilePath, normalizePath } from "../paths.js";
import type { NormalPath } from "../paths.js";
import { deleteUnchanged, writeAtomically } from "./atomic-files.js";
import { DirectoryRoot, ignoreAbsent } from "./directory-root.js";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverFile,
  DriverWriteOptions,
  FileDriver,
} from "./file-driver.js";
import { placeFiles, readFiles } from "./many-files.js";
import { readRange } from "./read-open-file.js";
import { isReservedName } from "./reserved-names.js";
import { explainRead, explainWrite } from "./system-errors.js";
import { directoryPaths, walkDirectory } from "./walk-directory.js";
import { WriteAheadJournal } from "./write-ahead-journal.js";

export interface DirectoryDriverOptions {
  /**
   * What an acknowledged write survives: with "process" the end of the process, even by kill -9; with "power" also a power
   * failure, at the cost of two disk syncs for each write or batch. @default "power"
   */
  readonly durability?: "process" | "power";
}

/**
 * Keeps files in a directory on disk, where every other tool can read them. Safe between processes.
 * Writes are atomic. Refuses symbolic links that leave the directory; on Linux also those that another process creates at the
 * same moment.
 *
 * A batch is first written to a journal, `.palimpsest-journal`, which stays until the files are synced at their paths. The
 * first call of an instance repeats batches that a power failure has interrupted.
 *
 * The constructor creates the directory. It throws a FileError "unwritable" when it cannot write there, "invalid-path" for an
 * empty path, and "invalid-option" for an unknown durability.
 */
export class DirectoryDriver implements FileDriver {
  readonly name = "directory";
  readonly #root: DirectoryRoot;
  readonly #journal: WriteAheadJournal;

  constructor(directory: string, { durability = "power" }: DirectoryDriverOptions = {}) {
    checkDurability(durability);
    this.#root = new DirectoryRoot(directory, { isDurable: durability === "power" });
    this.#journal = new WriteAheadJournal(this.#root);
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const normal = checkName(normalizePath(path));
    await this.#journal.open();
    return this.#stat(normal).catch((error: unknown) => {
      throw explainRead(error, normal);
    });
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = checkName(normalizePath(path));
    await this.#journal.open();
    return this.#read(normal, range).catch((error: unknown) => {
      throw explainRead(error, normal);
    });
  }

  async #read(path: NormalPath, range?: ByteRange): Promise<Uint8Array | undefined> {
    const found = await this.#root.find(path);
    try {
      if (!found?.stats.isFile()) return undefined;
      const descriptor = found.open();
      try {
        return await readRange(descriptor, found.stats.size, range);
      } finally {
        closeSync(descriptor);
      }
    } finally {
      found?.close();
    }
  }

  async write(
    given: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = checkName(normalizeFilePath(given));
    await (ifAbsent ? this.#journal.open() : this.#journal.settle());
    try {
      const path = ifAbsent ? normal : await this.#target(normal);
      const written = await writeAtomically(this.#root, path, { bytes, ifAbsent });
      if (written || (await this.#stat(normal))) return written;
      throw new FileError("is-directory", `${normal} exists and is not a file. Choose another name.`);
    } catch (error) {
      throw explainWrite(error, normal);
    }
  }

  async writeAll(given: readonly DriverFile[]): Promise<void> {
    const files = given.map(({ path, bytes }) => ({ path: checkName(normalizeFilePath(path)), bytes }));
    await this.#journal.open();
    try {
      if (this.#root.isDurable) await this.#journal.writeAll(files);
      else await placeFiles(this.#root, files, { replaces: false });
    } catch (error) {
      throw explainWrite(error, files[0]?.path ?? "/");
    }
  }

  async readAll(given: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const paths = given.map((path) => checkName(normalizePath(path)));
    await this.#journal.open();
    const found = await readFiles(this.#root, paths);
    return Promise.all(found.map(async (bytes, index) => bytes ?? this.read(paths[index] ?? "/")));
  }

  async #stat(path: NormalPath): Promise<DriverEntry | undefined> {
    const found = await this.#root.find(path);
    found?.close();
    if (!found?.stats.isFile()) return undefined;
    return { path, size: found.stats.size, modifiedAt: found.stats.mtime.toISOString() };
  }

  /** Returns where a write goes: to the path, or through a link to the file inside the root that it leads to. */
  async #target(path: NormalPath): Promise<string> {
    const found = await this.#root.find(path);
    found?.close();
    return found?.path ?? path;
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const normal = checkName(normalizePath(prefix));
    await this.#journal.open();
    yield* walkDirectory(this.#root, normal);
  }

  async *listPaths(prefix: string): AsyncIterable<readonly string[]> {
    const normal = checkName(normalizePath(prefix));
    await this.#journal.open();
    yield* directoryPaths(this.#root, normal);
  }

  async delete(path: string, options: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = checkName(normalizePath(path));
    await this.#journal.settle();
    return this.#delete(normal, options).catch((error: unknown) => {
      throw explainWrite(error, normal);
    });
  }

  /** Of a link, also of one to a directory, deletes the link and not what it leads to. */
  async #delete(path: NormalPath, { ifWrittenBy }: DriverDeleteOptions): Promise<boolean> {
    const found = await this.#root.find(path);
    found?.close();
    if (!found || (ifWrittenBy !== undefined && found.stats.mtime.toISOString() > ifWrittenBy)) return false;
    const parent = posix.dirname(path);
    const directory = await this.#root.enter(parent);
    if (!directory) return false;
    try {
      const location = directory.at(posix.basename(path));
      if (!found.stats.isFile() && !lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink())
        return false;
      const deleted =
        ifWrittenBy === undefined
          ? await unlink(location).then(() => true, ignoreAbsent)
          : deleteUnchanged(directory, posix.basename(path), ifWrittenBy);
      if (deleted) await this.#prune(parent);
      return deleted ?? false;
    } finally {
      directory.close();
    }
  }

  /** Removes empty directories: a directory exists only while it holds a file, and must not block a file of its name. */
  async #prune(path: string): Promise<void> {
    if (path === "/") return;
    const parent = await this.#root.enter(posix.dirname(path)).catch(() => undefined);
    if (!parent) return;
    const removed = await rmdir(parent.at(posix.basename(path))).then(
      () => true,
      () => false,
    );
    parent.close();
    if (removed) await this.#prune(posix.dirname(path));
  }
}

function checkName(path: NormalPath): NormalPath {
  if (!path.split("/").some(isReservedName)) return path;
  throw new FileError("invalid-path", `${path} is reserved for temporary files. Choose another name.`);
}

function checkDurability(durability: unknown): void {
  if (durability === "power" || durability === "process") return;
  throw new FileError("invalid-option", `durability is ${showValue(durability)}. Pass "power" or "process".`);
}
