import { createHash } from "node:crypto";
import { FileError, showValue } from "./errors.js";

const maxBytes = 80;
const hashLength = 16;
const plain = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
/** A plain text that ends like our own suffix gets a suffix too; otherwise it could collide with the name of another text. */
const suffixed = /-[0-9a-f]{16}$/;
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a file name of at most 80 ASCII bytes that every filesystem accepts. Pure.
 * A safe text stays as it is. Any other text is cleaned, cut and suffixed with a hash of the whole text, so that distinct
 * texts have distinct names.
 */
export function safeName(text: string): string {
  if (isSafe(text)) return text;
  const readable = text
    .slice(0, maxBytes)
    .replace(/[^A-Za-z0-9.-]+/g, "_")
    .replace(/^[.-]+/, "_")
    .slice(0, maxBytes - hashLength - 1);
  return `${readable || "_"}-${hashText(text, hashLength)}`;
}

function isSafe(text: string): boolean {
  return (
    text.length <= maxBytes &&
    plain.test(text) &&
    !text.endsWith(".") &&
    !suffixed.test(text) &&
    !reserved.test(text)
  );
}

const plainScope = /^[a-z0-9_][a-z0-9_-]{0,79}$/;
const reservedScope = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const readableLength = 40;
const scopeHashLength = 40;

/**
 * Returns the directory name of a thread. Pure and injective: no two ids share a name, even on a filesystem that ignores
 * case. Plain lower-case ids stay as they are; others become `readable.hash`, and a plain id contains no dot.
 * Throws a FileError "invalid-path" for an id that is empty or not a string.
 */
export function encodeScope(threadId: string): string {
  if (typeof threadId !== "string" || threadId === "") {
    throw new FileError(
      "invalid-path",
      `${showValue(threadId)} is not a thread id. Pass the run's configurable.thread_id, a non-empty string.`,
    );
  }
  if (plainScope.test(threadId) && !reservedScope.test(threadId)) return threadId;
  const readable = threadId.slice(0, readableLength).replace(/[^A-Za-z0-9_-]+/g, "_");
  return `${readable.toLowerCase()}.${hashText(threadId, scopeHashLength)}`;
}

/** Returns the first `length` hex digits of the SHA-256 of the text's UTF-16 units, which keeps lone surrogates apart. Pure. */
export function hashText(text: string, length: number): string {
  return createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex").slice(0, length);
}
