import { isUtf8 } from "node:buffer";
import { pathsOf } from "./drivers/file-driver.js";
import type { ByteRange, DriverEntry, FileDriver } from "./drivers/file-driver.js";
import { scopeDriver } from "./drivers/scope-driver.js";
import { FileError, notFound } from "./errors.js";
import { normalizePath } from "./paths.js";
import { decodeText, encodeText } from "./reading/utf8.js";

/** Where every archive path begins. */
export const archivePrefix = "/context/";

export type OnAppend = (path: string, content: string | Uint8Array) => void;

/**
 * The append-only store of one thread. Paths begin with `/context/`, each is written once, and nothing is ever read in
 * order to be written back: any number of writers can append at once.
 */
export class Archive {
  readonly #driver: FileDriver;
  readonly #onAppend: OnAppend | undefined;

  /** `root` is the thread's directory in the driver. `onAppend` is told what is stored, and must not throw. */
  constructor(driver: FileDriver, root: string, onAppend?: OnAppend) {
    this.#driver = scopeDriver(driver, root);
    this.#onAppend = onAppend;
  }

  /**
   * Returns the entry once it is stored and found whole. The same content again changes nothing.
   * Throws a FileError "exists" for other content at the path, "not-utf8" for text with a lone surrogate, "corrupt" when
   * the engine acknowledged the write and did not keep it.
   */
  async append(path: string, content: string | Uint8Array): Promise<DriverEntry> {
    const normal = archivePath(path);
    const bytes = typeof content === "string" ? encodeText(content, normal) : content;
    const written = await this.#driver.write(normal, bytes, { ifAbsent: true });
    if (!written) await this.#checkSame(normal, bytes);
    const entry = await this.#driver.stat(normal);
    if (entry?.size === bytes.length) {
      this.#onAppend?.(normal, content);
      return entry;
    }
    const kept = entry === undefined ? "nothing" : `${entry.size}`;
    throw new FileError(
      "corrupt",
      `${normal} was written with ${bytes.length} bytes, and ${kept} of them are there. Keep the original.`,
    );
  }

  /** Returns the whole text. Throws a FileError "not-found", or "not-utf8" when the bytes are no text. */
  async readText(path: string): Promise<string> {
    const bytes = await this.readBytes(path);
    if (isUtf8(bytes)) return decodeText(bytes);
    throw new FileError("not-utf8", `${path} is not UTF-8 text. Read its bytes.`);
  }

  /** Returns the bytes, or a range of them. Throws a FileError "not-found". */
  async readBytes(path: string, range?: ByteRange): Promise<Uint8Array> {
    const normal = archivePath(path);
    const bytes = await this.#driver.read(normal, range);
    if (!bytes) throw notFound(normal);
    return bytes;
  }

  async has(path: string): Promise<boolean> {
    return (await this.#driver.stat(archivePath(path))) !== undefined;
  }

  /** Every entry below a directory of the archive, sorted by path, as they are read. */
  list(prefix: string = archivePrefix): AsyncIterable<DriverEntry> {
    return this.#driver.list(archivePath(prefix, archivePrefix));
  }

  /** The paths that `list` gives, in pages and in any order: cheaper where the engine keeps files one by one. */
  listPaths(prefix: string = archivePrefix): AsyncIterable<readonly string[]> {
    return pathsOf(this.#driver, archivePath(prefix, archivePrefix));
  }

  async #checkSame(path: string, bytes: Uint8Array): Promise<void> {
    const there = await this.#driver.read(path);
    if (there && Buffer.from(there.buffer, there.byteOffset, there.length).equals(bytes)) return;
    throw new FileError("exists", `${path} is in the archive with other content. Append under another name.`);
  }
}

function archivePath(path: string, directory?: string): string {
  const normal = normalizePath(path);
  if (normal.startsWith(archivePrefix) || `${normal}/` === directory) return normal;
  throw new FileError(
    "invalid-path",
    `${normal} is outside the archive. Its paths begin with ${archivePrefix}.`,
  );
}
