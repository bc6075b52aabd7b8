import { lstat, open, rmdir, stat, unlink } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode, FileError } from "../errors.js";
import { normalizeFilePath, normalizePath } from "../paths.js";
import type { NormalPath } from "../paths.js";
import { deleteUnchanged, writeAtomically } from "./atomic-files.js";
import { DirectoryRoot, isTemporaryName } from "./directory-root.js";
import type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "./file-driver.js";
import { directoryPaths, walkDirectory } from "./walk-directory.js";

const absent = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/**
 * Keeps files in a directory on disk, where every other tool can read them. Safe between processes.
 * Writes are atomic and synced. Refuses symbolic links that leave the directory.
 * The constructor creates the directory. It throws a FileError "unwritable" when it cannot write there, and "invalid-path"
 * for an empty path.
 */
export class DirectoryDriver implements FileDriver {
  readonly name = "directory";
  readonly #root: DirectoryRoot;

  constructor(directory: string) {
    this.#root = new DirectoryRoot(directory);
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    return this.#stat(checkName(normalizePath(path)));
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = checkName(normalizePath(path));
    const real = await this.#root.resolveExisting(this.#root.locate(normal), normal);
    const handle = real === undefined ? undefined : await open(real, "r").catch(ignoreAbsent);
    if (!handle) return undefined;
    try {
      const found = await handle.stat();
      return found.isFile() ? await readRange(handle, found.size, range) : undefined;
    } finally {
      await handle.close();
    }
  }

  async write(
    path: string,
    bytes: Uint8Array,
    { ifAbsent = false }: DriverWriteOptions = {},
  ): Promise<boolean> {
    const normal = checkName(normalizeFilePath(path));
    const { location, existing, isNew } = await this.#target(normal);
    if (existing !== undefined && ifAbsent && (await stat(existing)).isFile()) return false;
    try {
      const written = await writeAtomically(existing ?? location, bytes, { ifAbsent, makeDirectory: isNew });
      if (written || (await this.#stat(normal))) return written;
      throw new FileError("is-directory", `${normal} exists and is not a file. Choose another name.`);
    } catch (error) {
      throw explainWrite(error, normal);
    }
  }

  async #stat(path: NormalPath): Promise<DriverEntry | undefined> {
    const real = await this.#root.resolveExisting(this.#root.locate(path), path);
    const found = real === undefined ? undefined : await stat(real).catch(ignoreAbsent);
    if (!found?.isFile()) return undefined;
    return { path, size: found.size, modifiedAt: found.mtime.toISOString() };
  }

  /** Resolves the target of a write. The common case, a new file in an existing directory, costs two system calls. */
  async #target(path: string): Promise<Target> {
    const location = this.#root.locate(path);
    const directory = await this.#root.resolveExisting(dirname(location), path);
    if (directory === undefined) await this.#root.checkAncestor(location, path);
    const isNew = directory === undefined;
    const there = isNew ? undefined : await lstat(location).catch(ignoreAbsent);
    const existing = there === undefined ? undefined : await this.#root.resolveExisting(location, path);
    return { location, existing, isNew };
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const normal = checkName(normalizePath(prefix));
    const real = await this.#root.resolveExisting(this.#root.locate(normal), normal);
    if (real !== undefined) yield* walkDirectory(this.#root, normal);
  }

  async *listPaths(prefix: string): AsyncIterable<readonly string[]> {
    const normal = checkName(normalizePath(prefix));
    const real = await this.#root.resolveExisting(this.#root.locate(normal), normal);
    if (real !== undefined) yield* directoryPaths(this.#root, normal);
  }

  async delete(path: string, { ifWrittenBy }: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = checkName(normalizePath(path));
    const found = await this.#stat(normal);
    if (!found || (ifWrittenBy !== undefined && found.modifiedAt > ifWrittenBy)) return false;
    const location = this.#root.locate(normal);
    const deleted =
      ifWrittenBy === undefined
        ? await unlink(location).then(() => true, ignoreAbsent)
        : await deleteUnchanged(location, ifWrittenBy).catch(ignoreAbsent);
    if (deleted) await this.#prune(dirname(location));
    return deleted ?? false;
  }

  /** Removes empty directories: a directory exists only while it holds a file, and must not block a file of its name. */
  async #prune(directory: string): Promise<void> {
    if (directory === this.#root.path) return;
    const removed = await rmdir(directory).then(
      () => true,
      () => false,
    );
    if (removed) await this.#prune(dirname(directory));
  }
}

interface Target {
  readonly location: string;
  /** The real path of an existing file of this name, if any. */
  readonly existing: string | undefined;
  /** True when its directory does not exist yet. */
  readonly isNew: boolean;
}

function checkName(path: NormalPath): NormalPath {
  if (!path.split("/").some(isTemporaryName)) return path;
  throw new FileError("invalid-path", `${path} is reserved for temporary files. Choose another name.`);
}

function ignoreAbsent(error: unknown): undefined {
  if (!absent.has(errorCode(error) ?? "")) throw error;
}

async function readRange(handle: FileHandle, size: number, range?: ByteRange): Promise<Uint8Array> {
  if (!range) return new Uint8Array(await handle.readFile());
  const start = Math.min(Math.max(0, range.start), size);
  const length = Math.max(0, Math.min(range.end, size) - start);
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

const full = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

function explainWrite(error: unknown, path: string): unknown {
  const code = errorCode(error);
  if (full.has(code ?? "")) {
    const message = `${path} was not written: the disk or the quota is full. Free space and try again.`;
    return new FileError("unwritable", message, { cause: error });
  }
  if (code === "ENOTDIR" || code === "EEXIST") {
    return new FileError("not-directory", `${path} lies below a file. Choose a directory for it.`, {
      cause: error,
    });
  }
  if (code === "EISDIR" || code === "ENOTEMPTY") {
    return new FileError("is-directory", `${path} is a directory. Write to a file below it.`, {
      cause: error,
    });
  }
  return error;
}
