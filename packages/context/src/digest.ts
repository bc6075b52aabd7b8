import { createHash } from "node:crypto";

/** Returns the first 16 hex characters of the SHA-256 of `text`. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
