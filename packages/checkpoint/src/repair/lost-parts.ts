import { hash } from "node:crypto";
import { FileError } from "@palimpsest/vfs";
import { pack } from "../codec/packing/pack.js";
import { LibsqlDriver } from "../drivers/libsql-driver.js";
import { LibsqlBlobs } from "../engines/libsql/libsql-blobs.js";
import type { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { LibsqlThreads } from "../engines/libsql/libsql-threads.js";

/** A part that was written again, with bytes that have its digest. */
export interface RestoredPart {
  readonly threadId: string;
  /** The value, archive file or content of a workspace file. */
  readonly what: string;
  /** Where its bytes were found. */
  readonly from: string;
}

/** A file that is damaged or gone. */
export interface LostFile {
  readonly threadId: string;
  readonly what: string;
  /** In the driver. */
  readonly path: string;
  /** The first 16 hex digits of its SHA-256, or all of them. */
  readonly digest: string;
}

interface Found {
  readonly bytes: Buffer;
  readonly from: string;
}

/** The digest in the name of an archive file, and the longest prefix by which lost files are looked up. */
const prefixLength = 16;
/** A stored value has the first 128 bits of a SHA-256, in hex digits. */
const valueLength = 32;

/** The damaged and missing parts of a file. Restores a part when it is offered bytes with its digest. */
export class LostParts {
  readonly restored: RestoredPart[] = [];
  readonly #database: LibsqlDatabase;
  readonly #driver: LibsqlDriver;
  readonly #values = new Map<string, Set<string>>();
  readonly #files = new Map<string, Map<string, LostFile>>();
  readonly #found = new Map<string, Found>();

  constructor(database: LibsqlDatabase) {
    this.#database = database;
    this.#driver = new LibsqlDriver(database);
  }

  get isEmpty(): boolean {
    return this.#values.size + this.#files.size === 0;
  }

  hasValue(digest: string): boolean {
    return this.#values.has(digest);
  }

  addValue(digest: string, threadId: string): void {
    const threads = this.#values.get(digest) ?? new Set();
    this.#values.set(digest, threads.add(threadId));
  }

  addFile(file: LostFile): void {
    const prefix = file.digest.slice(0, prefixLength);
    const files = this.#files.get(prefix) ?? new Map<string, LostFile>();
    this.#files.set(prefix, files.set(file.path, file));
  }

  /** Notes the bytes when a part with their digest is lost. */
  offer(content: Uint8Array | string, from: string): void {
    const sha = hash("sha256", content);
    const isWanted = this.#values.has(valueDigest(sha)) || this.#files.has(sha.slice(0, prefixLength));
    if (isWanted && !this.#found.has(sha)) this.#found.set(sha, { bytes: Buffer.from(content), from });
  }

  /** Writes what was found. */
  async restore(): Promise<void> {
    for (const [sha, found] of this.#found) {
      this.#restoreValue(valueDigest(sha), found);
      for (const file of this.#files.get(sha.slice(0, prefixLength))?.values() ?? [])
        if (sha.startsWith(file.digest)) await this.#restoreFile(file, found);
    }
    this.#found.clear();
  }

  #restoreValue(digest: string, { bytes, from }: Found): void {
    const names = this.#values.get(digest);
    if (!names) return;
    const threads = new LibsqlThreads(this.#database);
    this.#database.write(() => {
      const owners = [...names].flatMap((name) => threads.find(name)?.id ?? []);
      new LibsqlBlobs(this.#database).restore(owners, digest, pack(bytes));
    });
    this.#values.delete(digest);
    for (const threadId of names) this.restored.push({ threadId, what: `value ${digest}`, from });
  }

  async #restoreFile({ threadId, what, path, digest }: LostFile, { bytes, from }: Found): Promise<void> {
    try {
      await this.#driver.delete(path);
    } catch (error) {
      if (!FileError.isInstance(error)) throw error;
      // A damaged entry does not say which chunks are its own: they stay behind.
      this.#database.run("DELETE FROM files WHERE path = ?", path);
    }
    await this.#driver.write(path, bytes);
    const prefix = digest.slice(0, prefixLength);
    this.#files.get(prefix)?.delete(path);
    if (this.#files.get(prefix)?.size === 0) this.#files.delete(prefix);
    this.restored.push({ threadId, what, from });
  }
}

/** Returns the digest of a stored value from the hex digits of its SHA-256. Pure. */
function valueDigest(sha: string): string {
  return Buffer.from(sha.slice(0, valueLength), "hex").toString("base64url");
}
