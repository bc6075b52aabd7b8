import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { pathsOf, readAll, readIntact, writeAll } from "./drivers/file-driver.js";
import type { ByteRange, DriverEntry, FileDriver } from "./drivers/file-driver.js";
import { scopeDriver } from "./drivers/scope-driver.js";
import { FileError, notFound } from "./errors.js";
import { normalizePath } from "./paths.js";
import type { NormalPath } from "./paths.js";
import { decodeText, encodeText } from "./reading/utf8.js";

/** The directory of every archive path. */
export const archivePrefix = "/context/";

export interface ArchiveOptions {
  /** Runs before each append or batch; if it throws, nothing is written. @default nothing */
  readonly prepare?: () => Promise<void>;
  /** Runs after each append. It must not throw. @default nothing */
  readonly onAppend?: (path: string, content: string | Uint8Array) => void;
}

export interface ArchiveFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

/**
 * The append-only store of one thread. Every path begins with `/context/` and is written once. No write depends on a read,
 * so any number of writers can append at once.
 */
export class Archive {
  readonly #driver: FileDriver;
  readonly #root: string;
  readonly #options: ArchiveOptions;

  /** `root` is the thread's directory in the driver. */
  constructor(driver: FileDriver, root: string, options: ArchiveOptions = {}) {
    this.#driver = scopeDriver(driver, root);
    this.#root = root;
    this.#options = options;
  }

  /**
   * Stores the content, and resolves after reading it back. Appending the same content again changes nothing, or repairs a
   * damaged file whose name is the digest of the content. Throws a FileError "exists" when the path holds other content,
   * "not-utf8" for text with a lone surrogate, and "corrupt" when the engine acknowledged the write but did not keep these bytes.
   */
  async append(path: string, content: string | Uint8Array): Promise<void> {
    const normal = archivePath(path);
    const bytes = bytesOf(content, normal);
    await this.#options.prepare?.();
    const written = await this.#driver.write(normal, bytes, { ifAbsent: true });
    let stored = await readIntact(this.#driver, normal);
    const isLost = !written && !isSame(stored, bytes) && isNamedAfter(normal, bytes);
    // A file with the digest in its name is not damaged.
    if (isLost && !(stored && isNamedAfter(normal, stored))) {
      await this.#driver.write(normal, bytes);
      stored = await readIntact(this.#driver, normal);
    }
    if (isSame(stored, bytes)) {
      this.#options.onAppend?.(normal, content);
      return;
    }
    if (!written) throw new FileError("exists", `${normal} holds other content. Append under another name.`);
    throw new FileError(
      "corrupt",
      `${normal}: the store did not keep the ${bytes.length} bytes that were written. Keep the original.`,
    );
  }

  /**
   * Appends files with different paths, each with the digest of its content in its name, in less time than one by one. Resolves
   * after reading them back. Rejects for a file that `append` refuses, or if the engine fails; some files may then be stored.
   */
  async appendAll(given: readonly ArchiveFile[]): Promise<void> {
    const files = given.map(({ path, content }) => {
      const normal = archivePath(path);
      return { path: normal, content, bytes: bytesOf(content, normal) };
    });
    await this.#options.prepare?.();
    await writeAll(this.#driver, files);
    const stored = await readAll(
      this.#driver,
      files.map(({ path }) => path),
    );
    for (const [index, { path, bytes }] of files.entries()) {
      if (isSame(stored[index], bytes)) continue;
      throw new FileError("corrupt", `${path} does not hold what was written. Append it by itself.`);
    }
    for (const { path, content } of files) this.#options.onAppend?.(path, content);
  }

  /** Returns the whole text. Throws as `readBytes` does, and a FileError "not-utf8" when the bytes are not UTF-8. */
  async readText(path: string): Promise<string> {
    const bytes = await this.readBytes(path);
    if (isUtf8(bytes)) return decodeText(bytes);
    throw new FileError("not-utf8", `${path} is not UTF-8 text. Read its bytes.`);
  }

  /**
   * Returns the bytes, or a range of them. Throws a FileError "not-found", and "corrupt" when the name of a whole file is the
   * digest of other content.
   */
  async readBytes(path: string, range?: ByteRange): Promise<Uint8Array> {
    const normal = archivePath(path);
    const bytes = await this.#driver.read(normal, range);
    if (range === undefined) return this.#checked(normal, bytes);
    if (!bytes) throw notFound(normal);
    return bytes;
  }

  /** Returns the bytes of several files, in less time than `readBytes` one by one. Rejects with the first failure, as it does. */
  async readAll(paths: readonly string[]): Promise<readonly Uint8Array[]> {
    const normal = paths.map((path) => archivePath(path));
    const read = await readAll(this.#driver, normal);
    return normal.map((path, index) => this.#checked(path, read[index]));
  }

  #checked(path: string, bytes: Uint8Array | undefined): Uint8Array {
    if (!bytes) throw notFound(path);
    if (digestInName(path) === undefined || isNamedAfter(path, bytes)) return bytes;
    throw new FileError(
      "corrupt",
      `${path} in ${this.#root} is damaged: its content does not match the digest in its name. Restore it from a copy.`,
    );
  }

  async has(path: string): Promise<boolean> {
    return (await this.#driver.stat(archivePath(path))) !== undefined;
  }

  /** Yields every entry below a directory of the archive, sorted by path. */
  list(prefix: string = archivePrefix): AsyncIterable<DriverEntry> {
    return this.#driver.list(archivePath(prefix, archivePrefix));
  }

  /** Yields the paths of `list` in pages, in any order. Cheaper than `list` on a directory on disk. */
  listPaths(prefix: string = archivePrefix): AsyncIterable<readonly string[]> {
    return pathsOf(this.#driver, archivePath(prefix, archivePrefix));
  }
}

/**
 * Names of files that a pass writes end in 16 digits of the SHA-256 of the content. The readable `.md` has the name of its
 * record.
 */
const named = /-([0-9a-f]{16})(?:\.message)?\.(?:txt|json|jsonl)$/;
/** Older names of blocks, whose digest also covers the readable file. */
const namedWithCompanion = /\/steps-\d+-\d+-[0-9a-f]{16}\.jsonl$/;

/** Returns the first 16 hex digits of the SHA-256 of an archive file, if its name contains them. Pure. */
export function digestInName(path: string): string | undefined {
  return namedWithCompanion.test(path) ? undefined : named.exec(path)?.[1];
}

function isNamedAfter(path: string, bytes: Uint8Array): boolean {
  const digest = digestInName(path);
  return digest !== undefined && hash("sha256", bytes).startsWith(digest);
}

function bytesOf(content: string | Uint8Array, path: string): Uint8Array {
  return typeof content === "string" ? encodeText(content, path) : content;
}

function isSame(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.from(a.buffer, a.byteOffset, a.length).equals(b);
}

function archivePath(path: string, directory?: string): NormalPath {
  const normal = normalizePath(path);
  if (normal.startsWith(archivePrefix) || `${normal}/` === directory) return normal;
  throw new FileError(
    "invalid-path",
    `${normal} is outside the archive. Use a path that begins with ${archivePrefix}.`,
  );
}
