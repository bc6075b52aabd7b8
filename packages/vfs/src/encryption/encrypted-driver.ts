import {
  pathsOf,
  readAll,
  writeAll,
  type ByteRange,
  type DriverDeleteOptions,
  type DriverEntry,
  type DriverFile,
  type DriverWriteOptions,
  type FileDriver,
} from "../drivers/file-driver.js";
import { shareLocks } from "../drivers/scope-driver.js";
import { FileError } from "../errors.js";
import { encryptedDirectory, threadsDirectory } from "../layout.js";
import { comparePaths, normalizeFilePath, normalizePath } from "../paths.js";
import type { ContentKey } from "./content-key.js";
import { decryptContent, encryptContent, fileHeadSize, fileStart, readHead } from "./encrypted-content.js";
import { encryptedPath, isOfThread, outside, plainPath } from "./encrypted-paths.js";
import { lookedForOnce, type HasPlainFiles } from "./plain-files.js";
import { readEncryptedRange } from "./read-encrypted-range.js";
import type { KeyRing } from "./key-ring.js";

interface EncryptedDriverOptions {
  /** The id of the thread whose files are written. Not needed where all threads have one key. @default none */
  readonly owner?: string;
  /** @default looks once */
  readonly hasPlainFiles?: HasPlainFiles;
}

/**
 * A driver that encrypts the files of threads, each with the key of its thread, and leaves all others as they are. An encrypted file is
 * bound to its path. Files of threads that were written before encryption was switched on are read as they are.
 */
export class EncryptedDriver implements FileDriver {
  readonly name: string;
  readonly stored: FileDriver;
  readonly #ring: KeyRing;
  readonly #owner: string | undefined;
  readonly #hasPlainFiles: HasPlainFiles;

  constructor(
    stored: FileDriver,
    ring: KeyRing,
    { owner, hasPlainFiles = lookedForOnce(stored) }: EncryptedDriverOptions = {},
  ) {
    this.name = stored.name;
    this.stored = stored;
    this.#ring = ring;
    this.#owner = owner;
    this.#hasPlainFiles = hasPlainFiles;
    shareLocks(this, stored);
  }

  /** Returns this driver for the files of a thread. */
  of(threadId: string): EncryptedDriver {
    return new EncryptedDriver(this.stored, this.#ring, {
      owner: threadId,
      hasPlainFiles: this.#hasPlainFiles,
    });
  }

  async stat(path: string): Promise<DriverEntry | undefined> {
    const normal = normalizePath(path);
    const entry = isOfThread(normal) ? await this.stored.stat(encryptedPath(normal)) : undefined;
    if (entry) return outside(entry);
    return !isOfThread(normal) || (await this.#hasPlainFiles()) ? this.stored.stat(normal) : undefined;
  }

  async read(path: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    const normal = normalizePath(path);
    if (!isOfThread(normal)) return this.stored.read(normal, range);
    const bytes = await (range ? this.#readRange(normal, range) : this.#readWhole(normal));
    if (bytes) return bytes;
    return (await this.#hasPlainFiles()) ? this.stored.read(normal, range) : undefined;
  }

  async #readWhole(path: string): Promise<Uint8Array | undefined> {
    const stored = await this.stored.read(encryptedPath(path));
    return stored && this.#decrypt(stored, path);
  }

  async #readRange(path: string, range: ByteRange): Promise<Uint8Array | undefined> {
    const keyOf = async (head: Uint8Array): Promise<ContentKey> => this.#keyOf(head, path);
    return readEncryptedRange(this.stored, encryptedPath(path), { range, keyOf, place: path });
  }

  async write(path: string, bytes: Uint8Array, options: DriverWriteOptions = {}): Promise<boolean> {
    const normal = normalizeFilePath(path);
    if (!isOfThread(normal)) return this.stored.write(normal, bytes, options);
    const isBeside = await this.#hasPlainFiles();
    if (isBeside && options.ifAbsent === true && (await this.stored.stat(normal))) return false;
    const written = await this.stored.write(
      encryptedPath(normal),
      await this.#encrypt(bytes, normal),
      options,
    );
    if (isBeside && options.ifAbsent !== true) await this.stored.delete(normal);
    return written;
  }

  async writeAll(files: readonly DriverFile[]): Promise<void> {
    const encrypted: DriverFile[] = [];
    for (const { path, bytes } of files) {
      const normal = normalizeFilePath(path);
      encrypted.push(
        isOfThread(normal)
          ? { path: encryptedPath(normal), bytes: await this.#encrypt(bytes, normal) }
          : { path: normal, bytes },
      );
    }
    await writeAll(this.stored, encrypted);
  }

  async readAll(paths: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    const normal = paths.map((path) => normalizePath(path));
    const read = await readAll(
      this.stored,
      normal.map((path) => (isOfThread(path) ? encryptedPath(path) : path)),
    );
    return Promise.all(
      normal.map(async (path, index) => {
        const bytes = read[index];
        if (!isOfThread(path)) return bytes;
        if (bytes) return this.#decrypt(bytes, path);
        return (await this.#hasPlainFiles()) ? this.stored.read(path) : undefined;
      }),
    );
  }

  async *list(prefix: string): AsyncIterable<DriverEntry> {
    const normal = normalizePath(prefix);
    const encrypted = this.stored.list(encryptedPath(normal))[Symbol.asyncIterator]();
    let next = await encrypted.next();
    for await (const entry of this.#plain(normal)) {
      while (next.done !== true && comparePaths(outside(next.value).path, entry.path) < 0) {
        yield outside(next.value);
        next = await encrypted.next();
      }
      const isBoth = next.done !== true && outside(next.value).path === entry.path;
      if (!isBoth) yield entry;
    }
    for (; next.done !== true; next = await encrypted.next()) yield outside(next.value);
  }

  /** Yields the entries below a directory that are stored as they are. */
  async *#plain(prefix: string): AsyncIterable<DriverEntry> {
    if (isOfThread(`${prefix}/`) && !(await this.#hasPlainFiles())) return;
    for await (const entry of this.stored.list(prefix))
      if (!entry.path.startsWith(`${encryptedDirectory}/`)) yield entry;
  }

  async *listPaths(prefix: string): AsyncIterable<readonly string[]> {
    const normal = normalizePath(prefix);
    const known = new Set<string>();
    for await (const page of pathsOf(this.stored, encryptedPath(normal))) {
      const paths = page.map(plainPath);
      for (const path of paths) known.add(path);
      yield paths;
    }
    if (isOfThread(`${normal}/`) && !(await this.#hasPlainFiles())) return;
    for await (const page of pathsOf(this.stored, normal))
      yield page.filter((path) => !path.startsWith(`${encryptedDirectory}/`) && !known.has(path));
  }

  async delete(path: string, options: DriverDeleteOptions = {}): Promise<boolean> {
    const normal = normalizePath(path);
    if (!isOfThread(normal)) return this.stored.delete(normal, options);
    const deleted = await this.stored.delete(encryptedPath(normal), options);
    return ((await this.#hasPlainFiles()) && (await this.stored.delete(normal, options))) || deleted;
  }

  async #encrypt(bytes: Uint8Array, path: string): Promise<Uint8Array> {
    const key = await this.#keyFor(path);
    return encryptContent(bytes, key, { place: path, headSize: fileHeadSize });
  }

  /** Without an owner, what is written beside other files of a thread gets the key that they have. */
  async #keyFor(path: string): Promise<ContentKey> {
    if (this.#owner !== undefined || this.#ring.hasOneKey) return this.#ring.keyOf(this.#owner ?? "");
    const directory = path.slice(0, path.indexOf("/", threadsDirectory.length + 1));
    for await (const { path: other } of this.stored.list(encryptedPath(directory))) {
      const head = await this.stored.read(other, { start: 0, end: fileStart });
      return this.#keyOf(head ?? new Uint8Array(), plainPath(other));
    }
    throw new FileError(
      "invalid-option",
      `${path} is encrypted with the key of its thread, which a path does not name: write it through threadDriver(threadId) of the filesystem.`,
    );
  }

  async #keyOf(stored: Uint8Array, path: string): Promise<ContentKey> {
    const head = readHead(stored);
    if (head) return this.#ring.key(head.keyId);
    throw new FileError("corrupt", `${path} is damaged: its bytes changed. Restore it from a copy.`);
  }

  async #decrypt(stored: Uint8Array, path: string): Promise<Uint8Array> {
    return decryptContent(stored, await this.#keyOf(stored, path), path);
  }
}
