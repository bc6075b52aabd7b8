import type { SqliteColumn, SqliteValue } from "@palimpsest/sql";
import { CheckpointError } from "../../checkpoint-error.js";
import { uuidBytes, uuidFrom } from "../../codec/uuid.js";

/** Returns the bytes of a column. Throws a CheckpointError "corrupt" for another type. Pure. */
export function bytesOf(value: SqliteColumn | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new CheckpointError(
    "corrupt",
    "A stored row is damaged: its bytes are missing. Restore the database from a copy.",
  );
}

/** Returns the text of a column. Throws a CheckpointError "corrupt" for another type. Pure. */
export function textOf(value: SqliteColumn | undefined): string {
  if (typeof value === "string") return value;
  throw new CheckpointError(
    "corrupt",
    "A stored row is damaged: its text is missing. Restore the database from a copy.",
  );
}

/** Returns the stored form of an id: a lower-case UUID as 16 bytes, which sort like its text, another id as text. Pure. */
export function toKey(id: string): SqliteValue {
  return uuidBytes(id) ?? id;
}

/** The inverse of `toKey`. Pure. */
export function fromKey(key: SqliteColumn | undefined): string {
  return typeof key === "string" ? key : uuidFrom(bytesOf(key));
}
