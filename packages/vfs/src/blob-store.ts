import { createHash, createHmac } from "node:crypto";
import {
  readIntact,
  type ByteRange,
  type DriverDeleteOptions,
  type FileDriver,
} from "./drivers/file-driver.js";
import { scopeDriver } from "./drivers/scope-driver.js";
import type { ContentKey } from "./encryption/content-key.js";
import {
  decryptContent,
  encryptContent,
  fileHeadSize,
  fileStart,
  isEncrypted,
  readHead,
} from "./encryption/encrypted-content.js";
import { missingKey, type KeyRing } from "./encryption/key-ring.js";
import { readEncryptedRange } from "./encryption/read-encrypted-range.js";
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
  /**
   * Keys for encryption: bytes are stored encrypted, and a digest is that of the encrypted bytes. Bytes that are not encrypted are read as
   * they are. @default not encrypted
   */
  readonly ring?: KeyRing | undefined;
  /** The thread whose key encrypts. Not needed where all threads have one key. @default none */
  readonly owner?: string;
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
  readonly #options: BlobStoreOptions;

  /** Throws a FileError "invalid-key" for an empty key. */
  constructor(driver: FileDriver, options: BlobStoreOptions = {}) {
    const { root = "/", renewAfter = halfAnHour, key } = options;
    if (key?.length === 0) throw emptyKey("key", "the tenant");
    this.#driver = scopeDriver(driver, root);
    this.#renewAfter = renewAfter;
    this.#key = key;
    this.#options = options;
  }

  /** Returns this store for what a thread writes. */
  of(threadId: string): BlobStore {
    const { root: _, ...options } = this.#options;
    return this.#options.ring ? new BlobStore(this.#driver, { ...options, owner: threadId }) : this;
  }

  /**
   * Stores the bytes and returns their digest. Overwrites a blob whose bytes changed, as on a damaged disk.
   * Throws a FileError "not-utf8" for text with a lone surrogate.
   */
  async put(content: Uint8Array | string): Promise<string> {
    const bytes = await this.#encrypt(typeof content === "string" ? encodeText(content, "a blob") : content);
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

  async #isIntact(path: string, digest: string): Promise<boolean> {
    const bytes = await readIntact(this.#driver, path);
    return bytes !== undefined && this.#digestOf(bytes) === digest;
  }

  /**
   * Returns the bytes, or a range of them. Throws a FileError "not-found" for an unknown digest, "corrupt" when the
   * bytes of a whole blob do not have its digest, "missing-key" when the key is not there that encrypted them.
   */
  async get(digest: string, range?: ByteRange): Promise<Uint8Array> {
    if (!range) return this.#decrypt(await this.stored(digest));
    const head = await this.#read(digest, { start: 0, end: fileStart });
    if (!isEncrypted(head)) return this.#read(digest, range);
    const keyOf = async (own: Uint8Array): Promise<ContentKey> => this.#keyOf(own);
    const bytes = await readEncryptedRange(this.#driver, blobPath(digest), { range, keyOf, place: "" });
    if (bytes) return bytes;
    throw missing(digest);
  }

  /** Returns the bytes of a whole blob as they are stored, after checking them. Throws a FileError "not-found", "corrupt". */
  async stored(digest: string): Promise<Uint8Array> {
    const bytes = await this.#read(digest);
    if (this.#digestOf(bytes) !== digest) {
      throw new FileError(
        "corrupt",
        `The blob ${digest} is damaged: its bytes changed, or it was stored with another tenant key. Restore it from a copy, or pass its key.`,
      );
    }
    return bytes;
  }

  async #read(digest: string, range?: ByteRange): Promise<Uint8Array> {
    const bytes = await this.#driver.read(blobPath(digest), range);
    if (bytes) return bytes;
    throw missing(digest);
  }

  async #encrypt(bytes: Uint8Array): Promise<Uint8Array> {
    const { ring, owner } = this.#options;
    if (!ring) return bytes;
    if (owner === undefined && !ring.hasOneKey)
      throw new FileError(
        "invalid-option",
        "A content is encrypted with the key of its thread: write it through the workspace of files.thread(threadId).",
      );
    return encryptContent(bytes, await ring.keyOf(owner ?? ""), { headSize: fileHeadSize });
  }

  async #decrypt(bytes: Uint8Array): Promise<Uint8Array> {
    return isEncrypted(bytes) ? decryptContent(bytes, await this.#keyOf(bytes)) : bytes;
  }

  async #keyOf(bytes: Uint8Array): Promise<ContentKey> {
    const { keyId = "" } = readHead(bytes) ?? {};
    if (this.#options.ring) return this.#options.ring.key(keyId);
    throw missingKey(keyId);
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

function missing(digest: string): FileError {
  return new FileError("not-found", `There is no blob ${digest}: it was deleted, or is in another store.`);
}

/** Returns the SHA-256 of the bytes in hex. Pure. */
export function digestBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
