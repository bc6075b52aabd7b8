import { CheckpointError } from "../../checkpoint-error.js";
import { uuidBytes, uuidFrom } from "../../codec/uuid.js";
import type { Column, Value } from "./libsql-database.js";

/** Returns the bytes of a column. Throws a CheckpointError "corrupt" when it holds none. Pure. */
export function bytesOf(value: Column | undefined): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new CheckpointError(
    "corrupt",
    "A stored row is damaged: its bytes are missing. Restore it from a copy.",
  );
}

/** Returns the text of a column. Throws a CheckpointError "corrupt" when it holds none. Pure. */
export function textOf(value: Column | undefined): string {
  if (typeof value === "string") return value;
  throw new CheckpointError(
    "corrupt",
    "A stored row is damaged: its text is missing. Restore it from a copy.",
  );
}

/** Returns an id as it is stored: a lower-case UUID as 16 bytes, which sort as its text does, another as its text. Pure. */
export function toKey(id: string): Value {
  return uuidBytes(id) ?? id;
}

/** Returns the id that `toKey` was given. Pure. */
export function fromKey(key: Column | undefined): string {
  return typeof key === "string" ? key : uuidFrom(bytesOf(key));
}
