import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { FileDriver } from "./drivers/file-driver.js";
import { FileError } from "./errors.js";
import { threadDirectory } from "./layout.js";
import { ThreadKeys } from "./thread-keys.js";

/** Purpose of a seal. A text that is sealed for one purpose is not valid for another. */
export type SealPurpose = "file" | "fold" | "held";

/** Signs texts with the key of one thread. */
export type Signer = (purpose: SealPurpose, text: string) => string;

/** Keys of one thread that this process knows. */
export interface KnownKeys {
  /** Keys that are stored, or were. */
  readonly stored: Uint8Array[];
  /** A key that is not stored yet, because the driver failed. */
  own?: Uint8Array;
}

export interface ThreadSealOptions {
  readonly driver: FileDriver;
  readonly threadId: string;
  /** Caches keys between instances. */
  readonly known?: KnownKeys;
  /** A secret from which the key of the thread is derived. @default the key is random */
  readonly sealKey?: string | Uint8Array | undefined;
}

const keyBytes = 32;

/**
 * Signs what the nodes and tools of one thread put into graph state, and verifies it there. A client that may send state can
 * forge entries, but not their seals.
 *
 * The key is random, or derived from `sealKey`. It is stored in the directory of the thread before any other file, and copied
 * and deleted with it: a copy of the thread accepts the seals of the original, another thread does not. Without its key a
 * thread cannot tell genuine from forged, so every method then throws a FileError "missing-key".
 */
export class ThreadSeal {
  /** The same for all seals of a thread in one filesystem. */
  readonly id: object;
  readonly #keys: ThreadKeys;
  readonly #threadId: string;
  readonly #known: KnownKeys;
  readonly #derived: Uint8Array | undefined;

  /** Throws a FileError "invalid-path" for an id that is empty or not a string. */
  constructor({ driver, threadId, known = { stored: [] }, sealKey }: ThreadSealOptions) {
    const root = threadDirectory(threadId);
    this.#keys = new ThreadKeys(driver, root);
    this.#threadId = threadId;
    this.#known = known;
    this.#derived = sealKey === undefined ? undefined : derivedKey(sealKey, root);
    this.id = known;
  }

  /**
   * Returns a function that signs with a stored key, which is created if there is none. Reads one file if this process knows a
   * key: another process may have deleted the thread. Throws the driver's error, because another process could not verify a seal
   * whose key is not stored, and a FileError "missing-key" for a thread that has lost its key, or whose files are encrypted and this
   * driver does not encrypt.
   */
  async signer(): Promise<Signer> {
    const [known] = this.#known.stored;
    if (known !== undefined && (await this.#keys.holds(known))) return signerWith(known);
    const [stored = await this.#create()] = await this.#stored();
    return signerWith(stored);
  }

  /**
   * Returns a function that signs with the stored key, or while it cannot be read or stored with one that only this process
   * knows. Use it for data that is written again once the driver works. Throws a FileError "missing-key" for a thread that has
   * lost its key.
   */
  async signerInMemory(): Promise<Signer> {
    try {
      return await this.signer();
    } catch (error) {
      // Its seals would count as forged once the key is restored.
      if (FileError.isInstance(error) && error.code === "missing-key") throw error;
      this.#known.own ??= this.#derived ?? randomBytes(keyBytes);
      return signerWith(this.#known.stored[0] ?? this.#known.own);
    }
  }

  /**
   * Returns true for the seal of a text by this thread, false for a forged one. Reads the stored keys only if no cached key
   * matches. Throws a FileError "missing-key" if the thread has lost its key.
   */
  async verify(purpose: SealPurpose, text: string, seal: unknown): Promise<boolean> {
    if (typeof seal !== "string") return false;
    const isValid = (key: Uint8Array) => equal(sealOf(key, purpose, text), seal);
    const { stored, own } = this.#known;
    if (stored.some(isValid) || (own !== undefined && isValid(own))) return true;
    const keys = await this.#stored();
    if (keys.some(isValid)) return true;
    if (this.#derived !== undefined && isValid(this.#derived)) return this.#proven(this.#derived);
    if (keys.length === 0 && (await this.#isLost())) throw this.#missing();
    return false;
  }

  /** Returns a function that verifies as `verify` does, with the keys that are stored now. Throws the driver's error. */
  async verifier(): Promise<(purpose: SealPurpose, text: string, seal: string) => boolean> {
    const stored = await this.#stored();
    const keys = this.#derived === undefined ? stored : [...stored, this.#derived];
    return (purpose, text, seal) => keys.some((key) => equal(sealOf(key, purpose, text), seal));
  }

  /** Stores the key if the thread has none yet. Call it before anything else is written to the thread's directory. */
  async prepare(): Promise<void> {
    if (this.#known.stored.length === 0) await this.signer();
  }

  /** Returns the paths of damaged files of keys. Throws a FileError "missing-key" if the thread has lost its key. */
  async check(): Promise<readonly string[]> {
    const { keys, damaged } = await this.#keys.read();
    if (keys.length === 0 && this.#derived === undefined && (await this.#isLost())) throw this.#missing();
    return damaged;
  }

  /** Gives a thread that has lost its key a new one. All seals that it has made so far then count as forged. */
  async renew(): Promise<void> {
    await this.#keys.store(this.#derived ?? randomBytes(keyBytes));
    await this.#keys.repair();
  }

  async #stored(): Promise<readonly Uint8Array[]> {
    const { keys } = await this.#keys.read();
    for (const key of keys.toReversed()) this.#remember(key);
    return keys;
  }

  async #create(): Promise<Uint8Array> {
    const genuine = this.#known.stored[0];
    if (genuine === undefined && (await this.#isLost())) throw this.#missing();
    if (genuine === undefined && (await this.#keys.isEncrypted())) throw this.#encrypted();
    const key = genuine ?? this.#derived ?? this.#known.own ?? randomBytes(keyBytes);
    await this.#keys.store(key);
    const [stored] = await this.#stored();
    if (stored !== undefined) return stored;
    throw new FileError(
      "corrupt",
      `${this.#keys.directory}: the store did not keep the key of the thread. Keep the originals.`,
    );
  }

  /** A key that has made a seal of the thread is its key, so it is stored again if it was lost. */
  async #proven(key: Uint8Array): Promise<true> {
    this.#remember(key);
    // A storage that is only read keeps the key that it has.
    await this.#keys.store(key).catch(() => undefined);
    return true;
  }

  async #isLost(): Promise<boolean> {
    // Another process may have stored its key, and then a file, since the keys were read.
    return (await this.#keys.isExpected()) && (await this.#stored()).length === 0;
  }

  #missing(): FileError {
    return new FileError(
      "missing-key",
      `The key of the thread ${JSON.stringify(this.#threadId)} is missing or damaged, so nothing tells its folds and files from forged ones: they stay as they are. ` +
        `Restore ${this.#keys.directory} from a backup, pass the sealKey that it was derived from, or let "palimpsest verify --repair" seal again what the archive proves.`,
    );
  }

  #encrypted(): FileError {
    return new FileError(
      "missing-key",
      `The files of the thread ${JSON.stringify(this.#threadId)} are encrypted, and nothing was written beside them in clear. Open the storage with its encryption.`,
    );
  }

  #remember(key: Uint8Array): void {
    const { stored } = this.#known;
    const index = stored.findIndex((known) => Buffer.from(known).equals(key));
    if (index >= 0) stored.splice(index, 1);
    stored.unshift(key);
  }
}

function derivedKey(sealKey: string | Uint8Array, root: string): Uint8Array {
  return createHmac("sha256", sealKey).update("thread-key\0").update(root).digest();
}

function signerWith(key: Uint8Array): Signer {
  return (purpose, text) => sealOf(key, purpose, text);
}

function sealOf(key: Uint8Array, purpose: SealPurpose, text: string): string {
  return createHmac("sha256", key).update(`${purpose}\0`).update(text).digest("base64url");
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
