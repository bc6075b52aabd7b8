import { createHash, createHmac } from "node:crypto";
import type { ByteRange, DriverDeleteOptions, FileDriver } from "./drivers/file-driver.js";
import { scopeDriver } from "./drivers/scope-driver.js";
import { emptyKey, FileError } from "./errors.js";
import { blobPath } from "./layout.js";
import { encodeText } from "./reading/utf8.js";

export interface BlobStoreOptions {
  /** The directory of the driver that holds the blobs. @default "/" */
  readonly root?: string;
  /**
   * Milliseconds after which `put` of an existing blob also writes it again. The new time protects it from a garbage
   * collector that spares recent blobs until the caller has stored its reference. @default 1_800_000
   */
  readonly renewAfter?: number;
  /** A secret: digests are then an HMAC-SHA256 with it. Stores with different keys share no blob. @default plain SHA-256 */
  readonly key?: string | Uint8Array;
}

const halfAnHour = 1_800_000;

/**
 * Bytes under their own SHA-256, keyed or not, as `/ab/abcdef…`. Equal bytes have one path and one content, so no write needs a
 * lock.
 */
export class BlobStore {
  readonly #driver: FileDriver;
  readonly #renewAfter: number;
  readonly #key: string | Uint8Array | undefined;

  /** Throws a FileError "invalid-key" for an empty key. */
  constructor(driver: FileDriver, { root = "/", renewAfter = halfAnHour, key }: BlobStoreOptions = {}) {
    if (key?.length === 0) throw emptyKey("key", "the tenant");
    this.#driver = scopeDriver(driver, root);
    this.#renewAfter = renewAfter;
    this.#key = key;
  }

  /**
   * Stores the bytes and returns their digest. Overwrites a blob whose bytes changed, as on a damaged disk.
   * Throws a FileError "not-utf8" for text with a lone surrogate.
   */
  async put(content: Uint8Array | string): Promise<string> {
    const bytes = typeof content === "string" ? encodeText(content, "a blob") : content;
    const digest = this.#digestOf(bytes);
    const path = blobPath(digest);
    const stored = await this.#driver.stat(path);
    if (stored?.size === bytes.length && (await this.#isIntact(path, digest))) {
      if (Date.now() - Date.parse(stored.modifiedAt) > this.#renewAfter)
        await this.#driver.write(path, bytes);
      return digest;
    }
    const written = await this.#driver.write(path, bytes, { ifAbsent: true });
    if (!written && !(await this.#isIntact(path, digest))) await this.#driver.write(path, bytes);
    return digest;
  }

  /** A driver that finds damage itself throws, which also means that the bytes are not intact. */
  async #isIntact(path: string, digest: string): Promise<boolean> {
    try {
      const bytes = await this.#driver.read(path);
      return bytes !== undefined && this.#digestOf(bytes) === digest;
    } catch (error) {
      if (FileError.isInstance(error) && error.code === "corrupt") return false;
      throw error;
    }
  }

  /**
   * Returns the bytes, or a range of them. Throws a FileError "not-found" for an unknown digest, and "corrupt" when the
   * bytes of a whole blob do not have its digest.
   */
  async get(digest: string, range?: ByteRange): Promise<Uint8Array> {
    const bytes = await this.#driver.read(blobPath(digest), range);
    if (!bytes)
      throw new FileError("not-found", `There is no blob ${digest}: it was deleted, or is in another store.`);
    if (!range && this.#digestOf(bytes) !== digest) {
      throw new FileError(
        "corrupt",
        `The blob ${digest} is damaged: its bytes changed, or it was stored with another tenant key. Restore it from a copy, or pass its key.`,
      );
    }
    return bytes;
  }

  async has(digest: string): Promise<boolean> {
    return (await this.#driver.stat(blobPath(digest))) !== undefined;
  }

  /** Returns true when the blob existed and was deleted. */
  async delete(digest: string, options: DriverDeleteOptions = {}): Promise<boolean> {
    return this.#driver.delete(blobPath(digest), options);
  }

  #digestOf(bytes: Uint8Array): string {
    if (this.#key === undefined) return digestBytes(bytes);
    return createHmac("sha256", this.#key).update(bytes).digest("hex");
  }
}

/** Returns the SHA-256 of the bytes in hex. Pure. */
export function digestBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
