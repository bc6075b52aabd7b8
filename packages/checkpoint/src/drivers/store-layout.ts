import { createHash } from "node:crypto";

/** Where an item is in a store. */
export interface StorePlace {
  readonly namespace: string[];
  readonly key: string;
}

const namedDirectories = 4;
const plain = /^[A-Za-z0-9-]{1,40}$/;

/**
 * Returns the namespace of a directory: its first four names, each a label. A search there finds what is below the
 * directory and more, never less. Pure.
 */
export function namespaceOf(root: readonly string[], directory: string): string[] {
  const names = directory.split("/").filter((name) => name !== "");
  return [...root, "files", ...names.slice(0, namedDirectories).map(labelOf)];
}

/** Returns where the entry of a file is. Pure. */
export function entryPlace(root: readonly string[], path: string): StorePlace {
  return { namespace: namespaceOf(root, path.slice(0, path.lastIndexOf("/"))), key: path };
}

/** Returns where a part of a file's bytes is. Pure. */
export function partPlace(root: readonly string[], version: string, number: number): StorePlace {
  return { namespace: [...root, "parts", version], key: `${number}` };
}

/** Stores refuse some characters in labels and read others as wildcards: a name that has any is hashed. Pure. */
function labelOf(name: string): string {
  return plain.test(name) ? name : `h-${createHash("sha256").update(name).digest("hex").slice(0, 38)}`;
}

/** What the entry of a file holds in a store. */
export interface StoredFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Names the write: its parts are kept under it. */
  readonly version: string;
  /** The bytes of a small file, packed, in base64. */
  readonly inline?: string;
}

/** Returns the entry in an item's value, or undefined for a value that is none. Pure. */
export function storedFile(value: Readonly<Record<string, unknown>> | undefined): StoredFile | undefined {
  if (value === undefined) return undefined;
  const { path, size, modifiedAt, version, inline } = value;
  if (typeof path !== "string" || typeof size !== "number") return undefined;
  if (typeof modifiedAt !== "string" || typeof version !== "string") return undefined;
  return { path, size, modifiedAt, version, ...(typeof inline === "string" ? { inline } : {}) };
}
