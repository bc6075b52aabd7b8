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

/** Returns the text of a column that was read with `blobColumn`. Throws a CheckpointError "corrupt" for another type. Pure. */
export function textOf(value: SqliteColumn | undefined): string {
  return Buffer.from(bytesOf(value)).toString();
}

/**
 * Expressions for the columns of a SELECT. In a damaged row a column may have another type, and the driver ends the process if
 * a text is not UTF-8, so every column must be read through one of them. The result has the name of the column, so an ORDER BY
 * must name the table as well.
 */
export const blobColumn = (name: string): string => `CAST(${name} AS BLOB) AS ${name}`;
export const numberColumn = (name: string): string => `CAST(${name} AS INTEGER) AS ${name}`;
/** For `fromKey`: a letter for the type, and the bytes in hex. */
export const keyColumn = (name: string): string => `substr(typeof(${name}), 1, 1) || hex(${name}) AS ${name}`;

/** Returns the stored form of an id: a lower-case UUID as 16 bytes, which sort like its text, another id as text. Pure. */
export function toKey(id: string): SqliteValue {
  return uuidBytes(id) ?? id;
}

/** The inverse of `toKey`, for a column that was read with `keyColumn`. Null for a null. Pure. */
export function fromKey(key: SqliteColumn | undefined): string | null {
  const text = typeof key === "string" ? key : "n";
  const bytes = Buffer.from(text.slice(1), "hex");
  if (text.startsWith("n")) return null;
  return text.startsWith("b") ? uuidFrom(bytes) : bytes.toString();
}

/** True if a key that was read with `keyColumn` sorts before another. SQLite sorts text before bytes. Pure. */
export function isBefore(key: SqliteColumn | undefined, other: SqliteColumn | undefined): boolean {
  const [one, two] = [key, other].map((each) => (typeof each === "string" ? each.replace(/^t/, "a") : ""));
  return (one ?? "") < (two ?? "");
}

/** Returns the id of a row that has one. Throws a CheckpointError "corrupt" for a null. Pure. */
export function idOf(key: SqliteColumn | undefined): string {
  const id = fromKey(key);
  if (id !== null) return id;
  throw new CheckpointError(
    "corrupt",
    "A stored row is damaged: its id is missing. Restore the database from a copy.",
  );
}
