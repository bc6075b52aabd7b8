import { createHash } from "node:crypto";

/** Returns the first `length` hex digits of a SHA-256 over the text's UTF-16 units, so that lone surrogates differ too. Pure. */
export function hashText(text: string, length: number): string {
  return createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex").slice(0, length);
}
