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
