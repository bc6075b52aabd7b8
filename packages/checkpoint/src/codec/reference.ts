import { hash } from "node:crypto";
import { uuidBytes, uuidFrom } from "./uuid.js";

/**
 * The kind of a blob: `m` message, `t` text, `b` bytes, `j` tree, `p` page of a list, `l` list of pages. The first three contain
 * no references.
 */
export type BlobKind = "m" | "t" | "b" | "j" | "p" | "l";

/** The letter of the kind, the digest in base64url, and for a message its id. */
export type Reference = string;

const digestLength = 22;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Returns the address of a blob: the first 128 bits of its SHA-256 in base64url. Pure. */
export function digestOf(bytes: Uint8Array): string {
  // Hot path: one call that returns a string, without a Hash object.
  const digest = hash("sha256", bytes, "base64url");
  // Two bits of the last character belong to the first 128. Clear the others.
  const last = alphabet.indexOf(digest.charAt(digestLength - 1));
  return digest.slice(0, digestLength - 1) + alphabet.charAt(last & 0b11_0000);
}

/** Returns a reference to a blob. It contains the id of a message, so that assigning an id stores no new blob. Pure. */
export function referenceTo(kind: BlobKind, digest: string, id?: string): Reference {
  if (id === undefined) return kind + digest;
  const bytes = uuidBytes(id);
  return bytes ? `${kind}${digest}~${bytes.toString("base64url")}` : `${kind}${digest}:${id}`;
}

export function kindOf(reference: Reference): string {
  return reference[0] ?? "";
}

export function digestIn(reference: Reference): string {
  return reference.slice(1, 1 + digestLength);
}

/** Returns the id of a referenced message, undefined when it has none. Pure. */
export function idIn(reference: Reference): string | undefined {
  if (reference.length === 1 + digestLength) return undefined;
  const text = reference.slice(2 + digestLength);
  return reference[1 + digestLength] === "~" ? uuidFrom(Buffer.from(text, "base64url")) : text;
}
