import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { FileDriver } from "./drivers/file-driver.js";

/** Purpose of a seal. A text that is sealed for one purpose is not valid for another. */
export type SealPurpose = "file" | "fold" | "held";

/** Signs texts with the key of one thread. */
export type Signer = (purpose: SealPurpose, text: string) => string;

const keyBytes = 32;

/**
 * Signs what the nodes and tools of one thread put into graph state, and verifies it there. A client that may send state can
 * forge entries, but not their seals.
 *
 * The key is random. It is stored beside the thread's archive, where no tool reads, and copied and deleted with it: a copy of
 * the thread accepts the seals of the original, another thread does not. Known keys are cached in memory.
 */
export class ThreadSeal {
  /** The same for all seals of a thread in one filesystem. */
  readonly id: object;
  readonly #driver: FileDriver;
  readonly #path: string;
  readonly #known: Uint8Array[];

  /** `root` is the thread's directory in the driver; `known` caches its keys between instances. */
  constructor(driver: FileDriver, root: string, known: Uint8Array[] = []) {
    this.#driver = driver;
    this.#path = `${root}/key`;
    this.#known = known;
    this.id = known;
  }

  /**
   * Returns a function that signs with the stored key, which is created if there is none. Throws the driver's error, because
   * another process could not verify a seal whose key is not stored.
   */
  async signer(): Promise<Signer> {
    const stored = (await this.#read()) ?? (await this.#create());
    return (purpose, text) => sealOf(stored, purpose, text);
  }

  /**
   * Returns a function that signs with the stored key, or while the driver fails with a key that only this process knows. Use
   * it for data that is written again once the driver works.
   */
  async signerInMemory(): Promise<Signer> {
    try {
      return await this.signer();
    } catch {
      const key = this.#known[0] ?? this.#remember(randomBytes(keyBytes));
      return (purpose, text) => sealOf(key, purpose, text);
    }
  }

  /** Returns true for the seal of a text by this thread. Reads the stored key only if no cached key matches. */
  async verify(purpose: SealPurpose, text: string, seal: unknown): Promise<boolean> {
    if (typeof seal !== "string") return false;
    const isValid = (key: Uint8Array) => equal(sealOf(key, purpose, text), seal);
    if (this.#known.some(isValid)) return true;
    const stored = await this.#read();
    return stored !== undefined && isValid(stored);
  }

  async #read(): Promise<Uint8Array | undefined> {
    const stored = await this.#driver.read(this.#path);
    return stored?.length === keyBytes ? this.#remember(stored) : undefined;
  }

  /** If two processes create the key at once, the driver keeps the first, and both use it. */
  async #create(): Promise<Uint8Array> {
    const own = this.#known[0] ?? randomBytes(keyBytes);
    await this.#driver.write(this.#path, own, { ifAbsent: true });
    return (await this.#read()) ?? this.#remember(own);
  }

  #remember(key: Uint8Array): Uint8Array {
    const same = this.#known.find((known) => Buffer.from(known).equals(key));
    if (same === undefined) this.#known.unshift(key);
    return same ?? key;
  }
}

function sealOf(key: Uint8Array, purpose: SealPurpose, text: string): string {
  return createHmac("sha256", key).update(`${purpose}\0`).update(text).digest("base64url");
}

function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
