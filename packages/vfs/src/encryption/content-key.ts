import { createHmac, hkdfSync } from "node:crypto";

/** Bytes of a key, and of the keys that are derived from it. */
export const keySize = 32;

/** Bytes of the mark of a content: the first of a MAC of it. */
export const markSize = 16;

/**
 * A key that contents are encrypted with. The mark of a content depends on the content, so equal contents have one encrypted form under
 * one key, and none under another. Each content is encrypted with a key of its own, which is derived from its mark.
 */
export class ContentKey {
  readonly id: string;
  readonly #marking: Buffer;
  readonly #deriving: Buffer;

  /** `secret` has 32 bytes. */
  constructor(id: string, secret: Uint8Array) {
    this.id = id;
    const derived = (purpose: string): Buffer =>
      Buffer.from(hkdfSync("sha256", secret, "", `palimpsest ${purpose} 1`, keySize));
    this.#marking = derived("mark");
    this.#deriving = derived("content");
  }

  /** Returns the mark of a content. */
  markOf(parts: readonly (Uint8Array | string)[]): Buffer {
    return macOf(this.#marking, parts).subarray(0, markSize);
  }

  /** Returns the key of a content, which also depends on what is stored before it in clear. */
  keyOf(head: Uint8Array, mark: Uint8Array): Buffer {
    return macOf(this.#deriving, [head, mark]);
  }
}

function macOf(key: Buffer, parts: readonly (Uint8Array | string)[]): Buffer {
  const mac = createHmac("sha256", key);
  for (const part of parts) {
    // The length before each part: no two lists of parts are the same bytes.
    mac.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return mac.digest();
}
