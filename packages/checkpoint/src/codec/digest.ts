import { hash } from "node:crypto";

/** Returns the SHA-256 of the bytes. Pure. */
export function sha256(bytes: Uint8Array): Buffer {
  // In one call: an object for each hash would keep the garbage collector busy.
  return hash("sha256", bytes, "buffer");
}
