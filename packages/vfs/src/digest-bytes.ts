import { createHash } from "node:crypto";

/** Returns the SHA-256 of the bytes in hex. Pure. */
export function digestBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
