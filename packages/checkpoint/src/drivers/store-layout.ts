import { createHash } from "node:crypto";

/** The place of an item in a store. */
export interface StorePlace {
  readonly namespace: string[];
  readonly key: string;
}

const namedDirectories = 4;
const plain = /^[A-Za-z0-9-]{1,40}$/;

/**
 * Returns the namespace of a directory: its first four names, each as a label. A search of it finds everything below the
 * directory, and possibly more. Pure.
 */
export function namespaceOf(root: readonly string[], directory: string): string[] {
  const names = directory.split("/").filter((name) => name !== "");
  return [...root, "files", ...names.slice(0, namedDirectories).map(labelOf)];
}

/** Returns the place of a file's entry. Pure. */
export function entryPlace(root: readonly string[], path: string): StorePlace {
  return { namespace: namespaceOf(root, path.slice(0, path.lastIndexOf("/"))), key: path };
}

/** Returns the place of a part of a file's bytes. Pure. */
export function partPlace(root: readonly string[], version: string, number: number): StorePlace {
  return { namespace: [...root, "parts", version], key: `${number}` };
}

/** Hashes a name with characters that stores refuse in labels or treat as wildcards. Pure. */
function labelOf(name: string): string {
  return plain.test(name) ? name : `h-${createHash("sha256").update(name).digest("hex").slice(0, 38)}`;
}

/** The entry of a file in a store. */
export interface StoredFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** The id of the write: the place of its parts. */
  readonly version: string;
  /** The bytes of a small file, packed and in base64. */
  readonly inline?: string;
}

/** Parses the value of an item. Returns undefined for a value that is not an entry. Pure. */
export function storedFile(value: Readonly<Record<string, unknown>> | undefined): StoredFile | undefined {
  if (value === undefined) return undefined;
  const { path, size, modifiedAt, version, inline } = value;
  if (typeof path !== "string" || typeof size !== "number") return undefined;
  if (typeof modifiedAt !== "string" || typeof version !== "string") return undefined;
  return { path, size, modifiedAt, version, ...(typeof inline === "string" ? { inline } : {}) };
}
