import { hash } from "node:crypto";
import { uuidBytes, uuidFrom } from "./uuid.js";

/**
 * What a reference points to: `m` message, `t` text, `b` bytes, `j` tree, `p` page of a list, `l` the rest of a list.
 * The first three hold no references themselves.
 */
export type BlobKind = "m" | "t" | "b" | "j" | "p" | "l";

/** A digest in base64url, behind the letter of its kind, and behind both the id of a message. */
export type Reference = string;

const digestLength = 22;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Returns the digest that a blob's bytes are addressed by: 128 bits of SHA-256 in base64url. Pure. */
export function digestOf(bytes: Uint8Array): string {
  // As text in one call: an object for each hash would keep the garbage collector busy.
  const digest = hash("sha256", bytes, "base64url");
  // Of the last character two bits belong to the first 128: the others are cleared.
  const last = alphabet.indexOf(digest.charAt(digestLength - 1));
  return digest.slice(0, digestLength - 1) + alphabet.charAt(last & 0b11_0000);
}

/** Returns a reference to a blob. The id of a message stands in the reference, so that assigning one copies nothing. Pure. */
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

/** Returns the id of the message a reference points to, if it has one. Pure. */
export function idIn(reference: Reference): string | undefined {
  if (reference.length === 1 + digestLength) return undefined;
  const text = reference.slice(2 + digestLength);
  return reference[1 + digestLength] === "~" ? uuidFrom(Buffer.from(text, "base64url")) : text;
}
