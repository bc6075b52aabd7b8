import { FileError, showValue, type FileErrorCode } from "../errors.js";
import { ContentKey, keySize } from "./content-key.js";

/** Keys for encryption at rest. */
export interface EncryptionOptions {
  /**
   * The id of the key for what is written from now on: 1 to 54 printable ASCII characters. A function gives each thread its own,
   * such as that of its tenant. To rotate, return another id: what is stored already keeps its key.
   */
  readonly keyId: string | ((threadId: string) => string);
  /**
   * Returns the 32 bytes of a key, as from a key management service; undefined for one that was destroyed. Never called for
   * another id than `keyId` has given here or in another process. A key is kept in memory for five minutes.
   */
  readonly key: (keyId: string) => Uint8Array | undefined | Promise<Uint8Array | undefined>;
}

const form = /^[\x21-\x7e]{1,54}$/;
const lifetimeMs = 300_000;
const maxKeys = 1_000;

interface Known {
  readonly key: ContentKey;
  readonly until: number;
}

/** The keys of one storage that this process has asked for. */
export class KeyRing {
  readonly #options: EncryptionOptions;
  readonly #known = new Map<string, Known>();
  readonly #loading = new Map<string, Promise<ContentKey>>();

  /** Throws a FileError "invalid-option" for options of another form, "invalid-key" for an id of another form. */
  constructor(options: EncryptionOptions) {
    const { keyId, key } = options as Partial<EncryptionOptions>;
    if (typeof key !== "function" || (typeof keyId !== "string" && typeof keyId !== "function"))
      throw new FileError(
        "invalid-option",
        "encryption needs { keyId, key }: the id of the key to write with, or a function of the thread, and a function that returns the 32 bytes of a key by its id.",
      );
    if (typeof keyId === "string") checkId(keyId);
    this.#options = options;
  }

  /** True if all threads write with one key. */
  get hasOneKey(): boolean {
    return typeof this.#options.keyId === "string";
  }

  /** Returns the id of the key that a thread writes with now. Throws a FileError "invalid-key", also where the callback throws. */
  idOf(threadId: string): string {
    const { keyId } = this.#options;
    if (typeof keyId === "string") return keyId;
    let id: unknown;
    try {
      id = keyId(threadId);
    } catch (cause) {
      throw failed("invalid-key", `encryption.keyId threw for the thread ${showValue(threadId)}`, cause);
    }
    return checkId(id);
  }

  /** Returns a key that was asked for within the last five minutes; undefined for another. */
  known(id: string): ContentKey | undefined {
    const known = this.#known.get(id);
    return known !== undefined && known.until > Date.now() ? known.key : undefined;
  }

  /**
   * Returns a key. Throws a FileError "missing-key" for one that is not there, "invalid-key" for one without 32 bytes, "busy" where
   * the callback throws.
   */
  async key(id: string): Promise<ContentKey> {
    const known = this.known(id);
    if (known) return known;
    const loading = this.#loading.get(id) ?? this.#load(id);
    this.#loading.set(id, loading);
    return loading.finally(() => this.#loading.delete(id));
  }

  /** Returns the key that a thread writes with now. Throws as `key` does. */
  async keyOf(threadId: string): Promise<ContentKey> {
    return this.key(this.idOf(threadId));
  }

  async #ask(id: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#options.key(id);
    } catch (cause) {
      throw failed("busy", `encryption.key threw for the key ${showValue(id)}`, cause);
    }
  }

  async #load(id: string): Promise<ContentKey> {
    const secret = await this.#ask(id);
    if (secret === undefined) throw missingKey(id);
    if (!(secret instanceof Uint8Array) || secret.length !== keySize)
      throw new FileError(
        "invalid-key",
        `The encryption key ${showValue(id)} is not ${keySize} bytes. Return a Uint8Array of ${keySize} random bytes for it.`,
      );
    const key = new ContentKey(id, secret);
    this.#known.delete(id);
    this.#known.set(id, { key, until: Date.now() + lifetimeMs });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxKeys) break;
      this.#known.delete(oldest);
    }
    return key;
  }
}

/** Returns the error for a callback that threw. */
function failed(code: FileErrorCode, what: string, cause: unknown): FileError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${what}: nothing was encrypted or decrypted with it. Try again when it answers. (${reason})`;
  return new FileError(code, message, { cause });
}

function checkId(id: unknown): string {
  if (typeof id === "string" && form.test(id)) return id;
  throw new FileError(
    "invalid-key",
    `${showValue(id)} is no id of an encryption key. Return 1 to 54 printable ASCII characters without a space, such as "tenant-7/2026".`,
  );
}

/** Returns the error for content whose key is not there. Pure. */
export function missingKey(id: string): FileError {
  return new FileError(
    "missing-key",
    `The encryption key ${showValue(id)} is not available. If it was destroyed, what it encrypted can no longer be read: delete the thread. Otherwise return it from encryption.key.`,
  );
}
